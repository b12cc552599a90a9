package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// This file holds the transports to each other: the same input through Call,
// REST and JSON-RPC gives the same output, or the same code, message and
// violations.

// A rpcMember is a member of an input, as JSON and, for a query or a path, as
// text.
type rpcMember struct{ name, json, text string }

// rpcValues are the values to try for each member. An empty text stands for one
// that only JSON can say.
var rpcValues = []struct{ json, text string }{
	{`0`, "0"}, {`1`, "1"}, {`-1`, "-1"}, {`127`, "127"}, {`128`, "128"}, {`-129`, "-129"}, {`1.0`, "1.0"}, {`1e2`, "1e2"}, {`1.5`, "1.5"},
	{`0.1`, "0.1"}, {`0.25`, "0.25"}, {`300`, "300"}, {`9007199254740993`, "9007199254740993"}, {`18446744073709551616`, "18446744073709551616"},
	{`1e400`, "1e400"}, {`1e-400`, "1e-400"}, {`-0`, "-0"}, {`true`, "true"}, {`false`, "false"}, {`null`, ""},
	{`""`, ""}, {`"a"`, ""}, {`"red"`, ""}, {`"a@b"`, ""}, {`"ä@ö"`, ""}, {`"a@b.example.com/long/long"`, ""}, {`"10m30s"`, ""}, {`"aGk="`, ""},
	{`"2026-03-01T09:30:00Z"`, ""}, {`"2026-13-01T09:30:00Z"`, ""}, {`"1"`, ""}, {`"\u0041\n"`, ""}, {`" x"`, ""},
	{`[]`, ""}, {`[1]`, ""}, {`[1,2]`, ""}, {`[1,"2",300]`, ""}, {`["a","b"]`, ""}, {`["a","a"]`, ""}, {`["a","b","c","d"]`, ""},
	{`{}`, ""}, {`{"a":1}`, ""}, {`{"1":"x","300":"y"}`, ""}, {`{"next":{"next":{}}}`, ""}, {`{"next":{"next":7}}`, ""}, {`{"a":[1,{"b":null}]}`, ""},
}

// rpcTransports calls one method on three transports.
type rpcTransports struct {
	service *svc.Service
	rest    wireCaller
	rpc     http.Handler
}

// rpcSaidOutcome is what a call comes to on any transport.
type rpcSaidOutcome struct {
	output     string // JSON
	code       string
	message    string
	violations []svc.Violation
}

func (o rpcSaidOutcome) String() string {
	return fmt.Sprintf("%s%s %s %v", o.output, o.code, o.message, o.violations)
}

// untyped returns text without what messages say of the type of a JSON value: a query and a path
// have none.
func untyped(text string) string { return givenType.ReplaceAllString(text, "") }

var givenType = regexp.MustCompile(`, is (an object|an array|a string|a number|a boolean|null)( with JSON in it; send the [a-z]+ itself| with a fraction)?`)

type rpcDetails struct{ Violations []svc.Violation }

func (tr *rpcTransports) overREST(t *testing.T, q wireRequest) rpcSaidOutcome {
	a := tr.rest(t, q)
	if a.status < 300 {
		return rpcSaidOutcome{output: a.body}
	}
	var e struct {
		Error struct {
			Code, Message string
			Details       rpcDetails
		}
	}
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		t.Fatalf("%v: %d %s", err, a.status, a.body)
	}
	return rpcSaidOutcome{"", e.Error.Code, e.Error.Message, e.Error.Details.Violations}
}

func (tr *rpcTransports) overRPC(t *testing.T, method, params string) rpcSaidOutcome {
	w := rpcPost(tr.rpc, `{"jsonrpc":"2.0","method":"`+method+`","params":`+params+`,"id":1}`)
	var e struct {
		Result json.RawMessage
		Error  struct {
			Message string
			Data    struct {
				Code    string
				Details rpcDetails
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return rpcSaidOutcome{string(e.Result), e.Error.Data.Code, e.Error.Message, e.Error.Data.Details.Violations}
}

// overCall reports false for an input that has no Go value to call with.
func (tr *rpcTransports) overCall(t *testing.T, method, params string) (rpcSaidOutcome, bool) {
	resource, name, _ := strings.Cut(method, ".")
	in, err := tr.service.NewInput(resource, name)
	if err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal([]byte(params), in) != nil || !rpcSays(t, in, params) {
		return rpcSaidOutcome{}, false
	}
	out, err := tr.service.Call(context.Background(), resource, name, in)
	if err != nil {
		e := svc.ErrorFrom(err)
		list, _ := e.Details["violations"].([]svc.Violation)
		return rpcSaidOutcome{"", string(e.Code), e.Message, list}, true
	}
	return rpcSaidOutcome{output: rpcJSON(t, out)}, true
}

// rpcSays reports whether a Go value says all that params say: one that is
// zero does not say that it was there.
func rpcSays(t *testing.T, in any, params string) bool {
	given, said := rpcValue(t, params).(map[string]any), rpcValue(t, rpcJSON(t, in)).(map[string]any)
	delete(given, "unknown")
	for name, value := range given {
		if !reflect.DeepEqual(value, said[name]) {
			return false
		}
	}
	return true
}

func rpcValue(t *testing.T, text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func rpcJSON(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compare sends one input everywhere.
func (tr *rpcTransports) compare(t *testing.T, method string, rest wireRequest, members []rpcMember) {
	t.Helper()
	params := rpcObject(members)
	viaREST, viaRPC := tr.overREST(t, rest), tr.overRPC(t, method, params)
	if untyped(viaREST.String()) != untyped(viaRPC.String()) {
		t.Errorf("%s %s\nREST %s, %s\nhas  %v\nRPC  %v", method, params, rest.line, rest.body, viaREST, viaRPC)
	}
	// A Go value cannot be of the wrong type, and can hardly be absent.
	if slices.ContainsFunc(viaREST.violations, func(v svc.Violation) bool {
		return v.Rule == "type" || v.Rule == "required" || v.Rule == "range" || v.Rule == "duplicate"
	}) {
		return
	}
	viaCall, ok := tr.overCall(t, method, params)
	if ok && viaREST.output != "" && viaCall.output != "" { // encoding/json has another order, and null for a nil slice
		viaCall.output = strings.ReplaceAll(viaCall.output, `"tags":null`, `"tags":[]`)
		viaREST.output, viaCall.output = rpcJSON(t, rpcValue(t, viaREST.output)), rpcJSON(t, rpcValue(t, viaCall.output))
	}
	if ok && viaREST.String() != viaCall.String() {
		t.Errorf("%s %s\nREST %v\nCall %v", method, params, viaREST, viaCall)
	}
}

func rpcObject(members []rpcMember) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = `"` + m.name + `":` + m.json
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func newRPCTransports(t *testing.T) *rpcTransports {
	opts := wireOptions()
	opts.Methods = map[string]svc.MethodOptions{"Kinds": {HTTP: "POST /items/kinds"}}
	s, _ := newWire(t, opts)
	return &rpcTransports{s, wireDirect(s.REST()), s.RPC()}
}

var rpcKindMembers = strings.Fields("i8 i64 u8 u64 f32 f64 b s time dur bytes ptr num raw any list pair map keys node quote enum mail score set deep unknown")

// Verify that REST, JSON-RPC and Call agree on every kind of field with every value, in
// a body.
func TestTransportsAgreeOnBodies(t *testing.T) {
	t.Parallel()
	tr := newRPCTransports(t)
	try := func(members []rpcMember) {
		tr.compare(t, "items.kinds", wireRequest{"POST /items/kinds", "", rpcObject(members)}, members)
	}
	try(nil)
	for _, name := range rpcKindMembers {
		for _, v := range rpcValues {
			try([]rpcMember{{name, v.json, ""}})
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var members []rpcMember
		for _, i := range random.Perm(len(rpcKindMembers))[:random.IntN(8)] {
			members = append(members, rpcMember{rpcKindMembers[i], rpcValues[random.IntN(len(rpcValues))].json, ""})
		}
		try(members)
	}
}

// rpcPayment reads a union with encoding/json, which does not know unions. note is the
// note if there is none.
func rpcPayment(t *testing.T, text []byte, note string) (p unionPayment) {
	into := func(v any) {
		if err := json.Unmarshal(text, v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	p.Note = note
	switch into(&p); p.Type {
	case "card":
		p.Card = &unionCard{Debit: true}
		into(p.Card)
	case "iban":
		p.IBAN = new(unionIBAN)
		into(p.IBAN)
	case "cash":
		p.Cash = new(struct{})
	case "bundle":
		var both struct{ Parts []json.RawMessage }
		into(&both)
		p.Both = &unionBundle{Parts: []unionPayment{}}
		for _, part := range both.Parts {
			p.Both.Parts = append(p.Both.Parts, rpcPayment(t, part, note))
		}
	}
	return p
}

// Verify that REST, JSON-RPC and Call agree on unions with their members in any order.
func TestTransportsAgreeOnUnions(t *testing.T) {
	s := svc.MustRegister[UnionAPI](unionImpl{}, unionOptions())
	tr := &rpcTransports{s, wireDirect(s.REST()), s.RPC()}
	random := rand.New(rand.NewPCG(7, 8))
	names := strings.Fields("type id note number holder debit bic parts unknown")
	kinds := []string{`"card"`, `"c\u0061rd"`, `"iban"`, `"cash"`, `"bundle"`, `"coin"`, `null`}
	parts := []string{`[]`, `[{"id":"1","type":"cash"}]`, `[{"type":"card","id":"2","number":"3"},{"number":4,"id":"5","type":"iban"}]`, `[{"id":"1"}]`}
	called := 0
	for range 3000 {
		var members []rpcMember
		for _, i := range random.Perm(len(names)) {
			value := rpcValues[random.IntN(len(rpcValues))].json
			switch {
			case i < 2 && random.IntN(9) > 0:
				value = []string{kinds[random.IntN(len(kinds))], `"7"`}[i]
			case names[i] == "parts":
				value = parts[random.IntN(len(parts))]
			case random.IntN(3) > 0:
				continue
			case names[i] == "number":
				value = []string{`10`, `"1"`, `"bad"`, `9`}[random.IntN(4)]
			}
			members = append(members, rpcMember{names[i], value, ""})
		}
		payment := rpcObject(members)
		input := `{"payment":` + payment + `}`
		viaREST := tr.overREST(t, wireRequest{"POST /orders", "", input})
		if viaRPC := tr.overRPC(t, "orders.create", input); viaREST.String() != viaRPC.String() {
			t.Errorf("%s\nREST %v\nRPC  %v", input, viaREST, viaRPC)
		}
		if slices.ContainsFunc(viaREST.violations, func(v svc.Violation) bool {
			return v.Rule == "type" || v.Rule == "required" || v.Rule == "range" || v.Path == "/payment/type"
		}) {
			continue // no Go value is so
		}
		in := &unionOrder{Payment: rpcPayment(t, []byte(payment), "none")}
		in.Payment.Type = []unionKind{"", in.Payment.Type}[random.IntN(2)]
		out, err := s.Call(context.Background(), "orders", "create", in)
		called++
		if err != nil {
			e := svc.ErrorFrom(err)
			if viaCall := (rpcSaidOutcome{"", string(e.Code), e.Message, e.Violations()}); viaREST.String() != viaCall.String() {
				t.Errorf("%s\nREST %v\nCall %v", input, viaREST, viaCall)
			}
			continue
		}
		var answer struct{ Payment json.RawMessage }
		json.Unmarshal([]byte(viaREST.output), &answer)
		if got, want := out.(*unionOrder).Payment, rpcPayment(t, answer.Payment, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nCall %+v\nREST %+v", input, got, want)
		}
	}
	if called < 500 {
		t.Errorf("only %d inputs are Go values", called)
	}
}

// Verify that REST, JSON-RPC and Call agree on numbers and booleans, which a query
// spells as JSON does.
func TestTransportsAgreeOnQueries(t *testing.T) {
	t.Parallel()
	tr := newRPCTransports(t)
	names := strings.Fields("i8 i64 u8 u64 f32 f64 b ptr num limit unknown")
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var members []rpcMember
		var query []string
		for _, i := range random.Perm(len(names))[:random.IntN(6)] {
			v := rpcValues[random.IntN(19)]
			if v.json[0] <= '9' && strings.ContainsAny(v.json, ".e") && strings.Contains("i8 i64 u8 u64 ptr limit", names[i]) {
				continue // an integer in JSON perhaps, and in a query none
			}
			members = append(members, rpcMember{names[i], v.json, v.text})
			query = append(query, names[i]+"="+url.QueryEscape(v.text))
		}
		tr.compare(t, "items.list", wireRequest{"GET /items?" + strings.Join(query, "&"), "", ""}, members)
	}
}

// Verify that REST, JSON-RPC and Call agree on an input that comes from path, query and
// body at once.
func TestTransportsAgreeOnAllPlaces(t *testing.T) {
	tr := newRPCTransports(t)
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		id := []string{"1", "2", "none"}[random.IntN(3)]
		members := []rpcMember{{"id", `"` + id + `"`, id}}
		var body []rpcMember
		line := "PUT /items/" + id
		if random.IntN(2) == 0 {
			v := rpcValues[random.IntN(19)]
			members = append(members, rpcMember{"dry", v.json, v.text})
			line += "?dry=" + url.QueryEscape(v.text)
		} else {
			members = append(members, rpcMember{"dry", "true", "true"})
			line += "?dry=true"
		}
		for _, name := range []string{"title", "size", "unknown"} {
			if random.IntN(3) > 0 {
				body = append(body, rpcMember{name, rpcValues[random.IntN(len(rpcValues))].json, ""})
			}
		}
		members = append(members, body...)
		random.Shuffle(len(members)-len(body), func(i, j int) { members[i], members[j] = members[j], members[i] })
		if random.IntN(2) == 0 {
			members = append(slices.Clone(members[len(members)-len(body):]), members[:len(members)-len(body)]...) // the body's first
		}
		tr.compare(t, "items.update", wireRequest{line, "", rpcObject(body)}, members)
	}
}

// Verify that REST and JSON-RPC refuse a text that is not acceptable JSON with the same
// code and rule, and call nothing.
func TestTransportsAgreeOnTexts(t *testing.T) {
	store := newWireStore()
	s := svc.MustRegister[WireAPI](store, wireOptions())
	tr := &rpcTransports{s, wireDirect(s.REST()), s.RPC()}
	for _, value := range []string{
		``, `x`, `1,`, `01`, `1.`, `.5`, `+1`, `1e`, `NaN`, `"`, `"\x"`, `"\ud800"`, "\"\xff\"", "\"\n\"", `'a'`, `[1,]`, `[1`, `{"a":1,"a":2}`,
		`{"a":1,"\u0061":2}`, `[{"b":{"c":1,"c":1}}]`, `{a:1}`, `nul`, `tru`, `nullx`, "\ufeff1", strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
	} {
		t.Run(fmt.Sprintf("%.20q", value), func(t *testing.T) {
			input := `{"value":` + value + `}`
			rest, rpc := tr.overREST(t, wireRequest{"POST /items/echo", "", input}), tr.overRPC(t, "items.echo", input)
			if len(rest.violations) != 1 || len(rpc.violations) != 1 || rest.violations[0].Rule != rpc.violations[0].Rule || rest.code != rpc.code {
				t.Errorf("%.60s\nREST %v\nRPC  %v", input, rest, rpc)
			}
		})
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
}
