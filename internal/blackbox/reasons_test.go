package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests the reasons of errors: the same on every transport, and those of svc itself for
// one hop only.

// ownReasons are the reasons of svc itself.
var ownReasons = []string{"overloaded", "not_sent", "outcome_unknown", "key_reused", "key_running", "not_confirmed", "cannot_ask", "invalid_token"}

// A RackAPI returns the error that its implementation has.
type RackAPI interface {
	Put(context.Context) (*Racked, error)
	Watch(context.Context) (svc.Stream[Racked], error)
	Relay(context.Context) (*Racked, error)
}

type Racked struct {
	ID int `json:"id"`
}

type racker struct {
	err     error
	service **svc.Service // of Put, which Relay calls
}

func (s racker) Put(context.Context) (*Racked, error) { return nil, s.err }
func (s racker) Watch(context.Context) (svc.Stream[Racked], error) {
	return func(yield func(*Racked, error) bool) { yield(nil, s.err) }, nil
}
func (s racker) Relay(ctx context.Context) (*Racked, error) {
	_, err := (*s.service).Call(ctx, "racks", "put", nil)
	return nil, err
}

type rackClient struct {
	Put   func(context.Context) (*Racked, error)
	Watch func(context.Context) (svc.Stream[Racked], error)
	Relay func(context.Context) (*Racked, error)
}

// A rackFault is a form of errors with a reason.
type rackFault struct {
	Kind   svc.Code `json:"kind"`
	Reason string   `json:"why,omitempty"`
}

func newRacks(err error, change func(*svc.Options)) (*svc.Service, *svc.Options) {
	o := &svc.Options{Resource: "racks", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Put": {HTTP: "POST /racks"}, "Watch": {HTTP: "POST /racks/watch"}, "Relay": {HTTP: "POST /racks/relay"},
	}}
	if change != nil {
		change(o)
	}
	var s *svc.Service
	s = svc.MustRegister[RackAPI](racker{err, &s}, o)
	return s, o
}

func withFault(o *svc.Options) {
	o.ErrorForm = svc.NewErrorForm(
		func(e *svc.Error) *rackFault { return &rackFault{e.Code, e.Reason()} },
		func(f *rackFault) *svc.Error {
			e := svc.Errorf(f.Kind, "read")
			if f.Reason != "" {
				e = e.WithReason(f.Reason)
			}
			return e
		})
}

// reasonIn returns the member of a JSON text at a path, or what is wrong.
func reasonIn(text string, path ...string) string {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return err.Error() + ": " + text
	}
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// reasonsOn has for each transport a function that returns the reason which a client gets.
var reasonsOn = []struct {
	name string
	get  func(t *testing.T, err error) string
}{
	{"REST", func(t *testing.T, err error) string {
		s, _ := newRacks(err, nil)
		return reasonIn(textOf(answerTo(s.REST(), "POST", "/racks", "")), "error", "reason")
	}},
	{"a stream", func(t *testing.T, err error) string {
		s, _ := newRacks(err, nil)
		_, event, _ := strings.Cut(textOf(answerTo(s.REST(), "POST", "/racks/watch", "")), "event: error\n")
		_, data, _ := strings.Cut(strings.TrimSpace(event), "data: ")
		return reasonIn(data, "error", "reason")
	}},
	{"problem details", func(t *testing.T, err error) string {
		s, _ := newRacks(err, func(o *svc.Options) { o.OnError = svc.WriteProblem })
		return reasonIn(textOf(answerTo(s.REST(), "POST", "/racks", "")), "reason")
	}},
	{"an ErrorForm", func(t *testing.T, err error) string {
		s, _ := newRacks(err, withFault)
		return reasonIn(textOf(answerTo(s.REST(), "POST", "/racks", "")), "why")
	}},
	{"an ErrorWriter", func(t *testing.T, err error) string {
		got := ""
		s, _ := newRacks(err, func(o *svc.Options) {
			o.OnError = func(_ http.ResponseWriter, _ *http.Request, err error) { got = svc.ErrorFrom(err).Reason() }
		})
		answerTo(s.REST(), "POST", "/racks", "")
		return got
	}},
	{"JSON-RPC", func(t *testing.T, err error) string {
		s, _ := newRacks(err, nil)
		return reasonIn(postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"racks.put"}`), "error", "data", "reason")
	}},
	{"a batch", func(t *testing.T, err error) string {
		s, _ := newRacks(err, nil)
		return reasonIn(strings.Trim(postRPC(s.RPC(), `[{"jsonrpc":"2.0","id":1,"method":"racks.put"}]`), "[]"), "error", "data", "reason")
	}},
	{"MCP", func(t *testing.T, err error) string {
		s, _ := newRacks(err, nil)
		text := callTool(s.MCP(nil), "racks_put", `{}`)
		_, reason, found := strings.Cut(text, " (reason: ")
		if !found {
			return ""
		}
		return reason[:strings.IndexByte(reason, ')')]
	}},
	{"Service.Call", func(t *testing.T, err error) string {
		s, _ := newRacks(err, nil)
		_, got := s.Call(context.Background(), "racks", "put", nil)
		return svc.ErrorFrom(got).Reason()
	}},
	{"a method behind Service.Call", func(t *testing.T, err error) string {
		s, _ := newRacks(err, nil)
		return reasonIn(textOf(answerTo(s.REST(), "POST", "/racks/relay", "")), "error", "reason")
	}},
	{"Connect", func(t *testing.T, err error) string { return connectedReason(t, err, nil) }},
	{"Connect, problem details", func(t *testing.T, err error) string {
		return connectedReason(t, err, func(o *svc.Options) { o.OnError = svc.WriteProblem })
	}},
	{"Connect, an ErrorForm", func(t *testing.T, err error) string { return connectedReason(t, err, withFault) }},
	{"Connect, a stream", func(t *testing.T, err error) string {
		s, o := newRacks(err, nil)
		var client rackClient
		if err := svc.Connect[RackAPI](&client, "", &svc.ClientOptions{Service: o, Handler: s.REST()}); err != nil {
			t.Fatal(err)
		}
		stream, got := client.Watch(context.Background())
		if got != nil {
			t.Fatal(got)
		}
		for _, got = range stream {
		}
		return svc.ErrorFrom(got).Reason()
	}},
}

func connectedReason(t *testing.T, err error, change func(*svc.Options)) string {
	s, o := newRacks(err, change)
	var client rackClient
	if err := svc.Connect[RackAPI](&client, "", &svc.ClientOptions{Service: o, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	_, got := client.Put(context.Background())
	return svc.ErrorFrom(got).Reason()
}

// Verify that clients of every transport get the reason of an error, and none of svc itself if
// the method has it from somewhere else.
func TestReasonOnTransports(t *testing.T) {
	full := svc.Errorf(svc.CodeFailedPrecondition, "no more room").WithReason("list_full")
	rows := []struct {
		name string
		err  error
		want string
	}{
		{"own", full, "list_full"},
		{"wrapped", fmt.Errorf("putting: %w", full), "list_full"},
		{"with a detail", full.WithDetail("most", 5), "list_full"},
		{"private code", svc.Errorf(svc.CodeDataLoss, "secret").WithReason("disk_gone"), "disk_gone"},
		{"none", svc.Errorf(svc.CodeAborted, "no"), ""},
		{"not of this package", io.ErrUnexpectedEOF, ""},
		{"replaced", svc.Errorf(svc.CodeUnavailable, "gone").WithReason("overloaded").WithReason("shop_closed"), "shop_closed"},
	}
	for _, reason := range ownReasons {
		e := svc.Errorf(svc.CodeUnavailable, "gone").WithReason(reason)
		rows = append(rows, struct {
			name string
			err  error
			want string
		}{reason, e, ""}, struct {
			name string
			err  error
			want string
		}{reason + ", wrapped", fmt.Errorf("asking the other service: %w", e), ""})
	}
	for _, transport := range reasonsOn {
		for _, row := range rows {
			t.Run(transport.name+": "+row.name, func(t *testing.T) {
				if got := transport.get(t, row.err); got != row.want {
					t.Errorf("got %q, want %q", got, row.want)
				}
			})
		}
	}
}

// Verify that a model reads the reason where the message does not say it.
func TestReasonForModels(t *testing.T) {
	for _, test := range []struct{ message, reason, want string }{
		{"no more room", "list_full", "FAILED_PRECONDITION: no more room (reason: list_full)"},
		{"the list is full", "list_full", "FAILED_PRECONDITION: the list is full"},
		{"Full is this List", "list_full", "FAILED_PRECONDITION: Full is this List"},
		{"the list is long", "list_full", "FAILED_PRECONDITION: the list is long (reason: list_full)"},
		{"", "list_full", "FAILED_PRECONDITION: not possible in this state (reason: list_full)"},
		{"no more room", "", "FAILED_PRECONDITION: no more room"},
	} {
		t.Run(test.message+" "+test.reason, func(t *testing.T) {
			err := svc.Errorf(svc.CodeFailedPrecondition, "%s", test.message)
			if test.reason != "" {
				err = err.WithReason(test.reason)
			}
			s, _ := newRacks(err, nil)
			if got := callTool(s.MCP(nil), "racks_put", `{}`); !strings.Contains(got, `"text":"`+test.want+`"}`) {
				t.Errorf("got %s, want the text %s", got, test.want)
			}
		})
	}
}

// Verify that errors.Is finds a declared error in what a client got.
func TestReasonIsIdentity(t *testing.T) {
	full := svc.Errorf(svc.CodeFailedPrecondition, "no more room").WithReason("list_full")
	closed := svc.Errorf(svc.CodeFailedPrecondition, "no more room").WithReason("list_closed")
	s, o := newRacks(full.WithDetail("most", 5), nil)
	var client rackClient
	if err := svc.Connect[RackAPI](&client, "", &svc.ClientOptions{Service: o, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	_, err := client.Put(context.Background())
	for _, test := range []struct {
		name   string
		target error
		want   bool
	}{
		{"the declared error", full, true},
		{"a copy", full.WithCause(io.EOF), true},
		{"another reason", closed, false},
		{"another code", svc.Errorf(svc.CodeAborted, "").WithReason("list_full"), false},
		{"no reason", svc.Errorf(svc.CodeFailedPrecondition, "no more room"), false},
		{"nil", (*svc.Error)(nil), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := errors.Is(err, test.target); got != test.want {
				t.Errorf("errors.Is(%v, %v) = %t", err, test.target, got)
			}
			if got := errors.Is(fmt.Errorf("putting: %w", err), test.target); got != test.want {
				t.Errorf("wrapped: %t", got)
			}
		})
	}
	bare := svc.Errorf(svc.CodeAborted, "a")
	if errors.Is(bare, svc.Errorf(svc.CodeAborted, "b")) {
		t.Error("two errors without a reason are one")
	}
}

// Verify that the guards send reasons of svc.
func TestOwnReasonsOfMiddleware(t *testing.T) {
	verify := func(context.Context, string) (*svc.Principal, error) {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "from another service").WithReason("overloaded")
	}
	bearer := svc.Bearer(verify, &svc.BearerOptions{Logger: slog.New(slog.DiscardHandler)})(http.NotFoundHandler())
	key := svc.APIKey("X-Api-Key", verify, &svc.APIKeyOptions{Logger: slog.New(slog.DiscardHandler)})(http.NotFoundHandler())
	for _, test := range []struct {
		name    string
		handler http.Handler
		headers []string
		want    string
	}{
		{"Bearer", bearer, []string{"Authorization", "Bearer wrong"}, "invalid_token"},
		{"Bearer without a token", bearer, nil, ""},
		{"APIKey", key, []string{"X-Api-Key", "wrong"}, "invalid_token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := reasonIn(textOf(answerTo(test.handler, "GET", "/", "", test.headers...)), "error", "reason"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Verify which reasons a client takes from a response, whoever wrote it.
func TestReasonFromResponses(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"one of svc", `{"error":{"code":"UNAVAILABLE","message":"m","reason":"overloaded"}}`, "overloaded"},
		{"a text", `{"error":{"code":"ABORTED","message":"m","reason":"is no name"}}`, ""},
		{"a number", `{"error":{"code":"ABORTED","message":"m","reason":5}}`, ""},
		{"the longest", `{"error":{"code":"ABORTED","message":"m","reason":"` + strings.Repeat("a", 63) + `"}}`, strings.Repeat("a", 63)},
		{"too long", `{"error":{"code":"ABORTED","message":"m","reason":"` + strings.Repeat("a", 64) + `"}}`, ""},
		{"a problem", `{"code":"ABORTED","detail":"m","reason":"shop_closed"}`, "shop_closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(409)
				io.WriteString(w, test.body)
			})
			var client rackClient
			_, o := newRacks(nil, nil)
			if err := svc.Connect[RackAPI](&client, "", &svc.ClientOptions{Service: o, Handler: handler}); err != nil {
				t.Fatal(err)
			}
			_, err := client.Put(context.Background())
			if got := svc.ErrorFrom(err).Reason(); got != test.want {
				t.Errorf("got %q of %v, want %q", got, err, test.want)
			}
		})
	}
}

// Verify which failures of a client say that nothing was sent.
func TestReasonOfLostAnswers(t *testing.T) {
	answer := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	dial := &net.OpError{Op: "dial", Err: errors.New("refused")}
	for _, test := range []struct {
		name string
		opts svc.ClientOptions
		ctx  context.Context
		want string
	}{
		{"502 of a proxy", svc.ClientOptions{Handler: answer(502)}, nil, "outcome_unknown"},
		{"503 of a proxy", svc.ClientOptions{Handler: answer(503)}, nil, ""},
		{"504 of a proxy", svc.ClientOptions{Handler: answer(504)}, nil, "outcome_unknown"},
		{"ctx ended before", svc.ClientOptions{Handler: answer(200)}, ended, "not_sent"},
		{"a RoundTripper without a connection", svc.ClientOptions{HTTPClient: &http.Client{Transport: roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, dial })}}, nil, "not_sent"},
		{"a RoundTripper with another error", svc.ClientOptions{HTTPClient: &http.Client{Transport: roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, io.EOF })}}, nil, "outcome_unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, test.opts.Service = newRacks(nil, nil)
			ctx := test.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			var client rackClient
			if err := svc.Connect[RackAPI](&client, "http://127.0.0.1:1", &test.opts); err != nil {
				t.Fatal(err)
			}
			_, err := client.Put(ctx)
			if got := svc.ErrorFrom(err).Reason(); err == nil || got != test.want {
				t.Errorf("got %q of %v, want %q", got, err, test.want)
			}
		})
	}
}

// A LookAPI has a method that net/http sends again.
type LookAPI interface {
	List(context.Context) (*Racked, error)
}

// Verify that a request which ran is not called unsent because the second connection, on which
// net/http sent it again, could not be made.
func TestReasonAfterRepetition(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan bool)
	go func() {
		defer close(served)
		c, err := l.Accept()
		if err != nil {
			return
		}
		buf := make([]byte, 4096)
		c.Read(buf)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"id\":1}")
		c.Read(buf) // the second request arrives, and then the server dies
		l.Close()
		c.Close()
	}()
	var client struct {
		List func(context.Context) (*Racked, error)
	}
	if err := svc.Connect[LookAPI](&client, "http://"+l.Addr().String(), &svc.ClientOptions{HTTPClient: newHTTPClient(t)}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.List(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, err = client.List(context.Background())
	<-served
	var op *net.OpError
	if got := svc.ErrorFrom(err).Reason(); got != "outcome_unknown" || !errors.As(err, &op) || op.Op != "dial" {
		t.Errorf("got %q of %v, want outcome_unknown of a connection that could not be made", got, err)
	}
}

// Verify the names that a reason can have.
func TestReasonNames(t *testing.T) {
	good := append([]string{"a", "a1_", "list_full", strings.Repeat("z", 63)}, ownReasons...)
	bad := []string{"", "A", "1a", "_a", "list-full", "list full", "ä", "lisT", strings.Repeat("z", 64)}
	for _, name := range slices.Concat(good, bad) {
		t.Run(fmt.Sprintf("%.10q of %d", name, len(name)), func(t *testing.T) {
			defer func() {
				if v := recover(); (v != nil) != slices.Contains(bad, name) {
					t.Errorf("WithReason(%q) panics with %v", name, v)
				}
			}()
			base := svc.Errorf(svc.CodeAborted, "no")
			if e := base.WithReason(name); e.Reason() != name || base.Reason() != "" || !errors.Is(e, base) {
				t.Errorf("got %q, and %q of the first", e.Reason(), base.Reason())
			}
		})
	}
	if (*svc.Error)(nil).Reason() != "" {
		t.Error("a nil error has a reason")
	}
}

// A HallAPI has methods that declare reasons.
type HallAPI interface {
	Book(context.Context, *Hall) (*Hall, error)
	Leave(context.Context, *Hall) error
	Look(context.Context) (*Hall, error)
}

type Hall struct {
	Seat int    `json:"seat,omitempty"`
	Tag  string `json:"-" header:"etag,omitempty"`
	Auth string `json:"-" header:"if-match,omitempty"`
}

type halls struct{}

func (halls) Book(_ context.Context, in *Hall) (*Hall, error) { return in, nil }
func (halls) Leave(context.Context, *Hall) error              { return nil }
func (halls) Look(context.Context) (*Hall, error)             { return &Hall{}, nil }

var (
	errHallFull   = svc.Errorf(svc.CodeFailedPrecondition, "every seat | is taken").WithReason("hall_full").WithDetail("seats", 5)
	errHallClosed = svc.Errorf(svc.CodeFailedPrecondition, "the hall is closed").WithReason("hall_closed").WithHeader("retry-after", "5").WithHeader("www-authenticate", "x").WithHeader("x-own", "y")
	errHallAsleep = svc.Errorf(svc.CodeAborted, "try again").WithReason("asleep")
	errHallPlain  = svc.Errorf(svc.CodeAborted, "try later")
	errHallLost   = svc.Errorf(svc.CodeDataLoss, "secret").WithReason("plan_lost")
)

func newHalls(change func(*svc.Options)) *svc.Service {
	o := &svc.Options{Name: "Halls", Resource: "halls", Logger: slog.New(slog.DiscardHandler), Errors: []*svc.Error{errHallAsleep}, Methods: map[string]svc.MethodOptions{
		"Book":  {HTTP: "POST /halls", Errors: []*svc.Error{errHallFull, errHallClosed, errHallLost}},
		"Leave": {HTTP: "POST /halls/leave", Errors: []*svc.Error{errHallPlain}},
		"Look":  {HTTP: "GET /halls"},
	}}
	if change != nil {
		change(o)
	}
	return svc.MustRegister[HallAPI](halls{}, o)
}

// Verify what documents say of reasons, and how they spell headers.
func TestReasonsInDocuments(t *testing.T) {
	const description = `"Machine-readable reason that distinguishes errors with the same code. Methods declare asleep, hall_closed, hall_full, plan_lost. ` +
		`Any service may send overloaded, outcome_unknown, key_reused, key_running, not_confirmed, cannot_ask or invalid_token."`
	plain, problem := newHalls(nil), newHalls(func(o *svc.Options) { o.OnError = svc.WriteProblem })
	at := func(document []byte, path ...string) string { return oaAt(t, document, path...) }
	openAPI := func(s *svc.Service, version string) []byte {
		return []byte(textOf(answerTo(s.OpenAPI(), "GET", "/?openapi="+version, "")))
	}
	const reason = `{"type":"object","properties":{"reason":{"anyOf":[{"type":"string","enum":["hall_full","hall_closed"]},{"type":"string"}]}}}`
	typed := [2]string{
		`{"allOf":[{"$ref":"#/components/schemas/ErrorBody"},{"type":"object","properties":{"error":{"allOf":[{"$ref":"#/components/schemas/ErrorObject"},` +
			reason + `]}}}]}`,
		`{"allOf":[{"$ref":"#/components/schemas/Problem"},` + reason + `]}`,
	}
	schemas := map[string][2]string{"3.0": {`{"$ref":"#/components/schemas/ErrorBody"}`, `{"$ref":"#/components/schemas/Problem"}`}, "3.1": typed, "3.2": typed}
	for _, version := range []string{"3.0", "3.1", "3.2"} {
		document, problems := openAPI(plain, version), openAPI(problem, version)
		book := []string{"paths", "/halls", "post", "responses"}
		for _, test := range []struct {
			name, got, want string
		}{
			{"the member", at(document, "components", "schemas", "ErrorObject", "properties", "reason", "description"), description},
			{"the member of problems", at(problems, "components", "schemas", "Problem", "properties", "reason", "description"), description},
			{"required members", at(document, "components", "schemas", "ErrorObject", "required"), `["code","message"]`},
			{"limit", at(document, "components", "schemas", "Violation", "properties", "limit"), `{"type":"number"}`},
			{"empty", at(document, "components", "schemas", "Violation", "properties", "empty"), `{"type":"boolean"}`},
			{"a response", at(document, append(slices.Clone(book), "400", "description")...), `"INVALID_ARGUMENT: invalid input; FAILED_PRECONDITION: every seat | is taken (reason: hall_full); FAILED_PRECONDITION: the hall is closed (reason: hall_closed)"`},
			{"an error of all methods", at(document, "paths", "/halls", "get", "responses", "409", "description"), `"ABORTED: try again (reason: asleep)"`},
			{"a private code", at(document, append(slices.Clone(book), "500", "description")...), `"DATA_LOSS: data loss (reason: plan_lost)"`},
			{"an example", at(document, append(slices.Clone(book), "400", "content", "application/json", "examples", "error1", "value", "error", "reason")...), `"hall_full"`},
			{"an example of problems", at(problems, append(slices.Clone(book), "400", "content", "application/problem+json", "examples", "error2", "value", "reason")...), `"hall_closed"`},
			{"a schema", at(document, append(slices.Clone(book), "400", "content", "application/json", "schema")...), schemas[version][0]},
			{"a schema of problems", at(problems, append(slices.Clone(book), "400", "content", "application/problem+json", "schema")...), schemas[version][1]},
			{"headers of errors", at(document, append(slices.Clone(book), "400", "headers")...), `{"Retry-After":{"schema":{"type":"string"}},"WWW-Authenticate":{"schema":{"type":"string"}},"X-Own":{"schema":{"type":"string"}}}`},
			{"a header of an output", at(document, append(slices.Clone(book), "200", "headers", "ETag", "schema", "type")...), `"string"`},
			{"a header of an input", at(document, "paths", "/halls/leave", "post", "parameters", "1", "name"), `"if-match"`},
		} {
			t.Run(version+": "+test.name, func(t *testing.T) {
				var got, want bytes.Buffer
				json.Compact(&got, []byte(test.got))
				json.Compact(&want, []byte(test.want))
				if got.String() != want.String() {
					t.Errorf("got %s\nwant %s", test.got, test.want)
				}
			})
		}
	}
}

// Verify what OpenRPC, the page and the Markdown say of reasons.
func TestReasonsInOtherDocuments(t *testing.T) {
	s := newHalls(nil)
	rpc := postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`)
	page := textOf(answerTo(s.Docs(nil), "GET", "/", ""))
	markdown := textOf(answerTo(s.Docs(nil), "GET", "/llms.txt", ""))
	for _, test := range []struct{ name, text, want string }{
		{"OpenRPC, several of one code", rpc, `{"code":-32009,"message":"every seat | is taken (reason: hall_full); the hall is closed (reason: hall_closed)","data":{"code":"FAILED_PRECONDITION","reason":"hall_full","details":{"seats":5}}}`},
		{"OpenRPC, one with and one without", rpc, `{"code":-32010,"message":"try later; try again (reason: asleep)","data":{"code":"ABORTED"}}`},
		{"OpenRPC, one", rpc, `"errors":[{"code":-32010,"message":"try again","data":{"code":"ABORTED","reason":"asleep"}}]`},
		{"the page", page, `"reasons":[["asleep","ABORTED","try again"],["hall_closed","FAILED_PRECONDITION","the hall is closed"],["hall_full","FAILED_PRECONDITION","every seat | is taken"],["plan_lost","DATA_LOSS","data loss"]]`},
		{"the Markdown", markdown, "| reason | code | message |\n|---|---|---|\n| asleep | ABORTED | try again |\n| hall_closed | FAILED_PRECONDITION | the hall is closed |\n| hall_full | FAILED_PRECONDITION | every seat &#124; is taken |\n| plan_lost | DATA_LOSS | data loss |\n"},
		{"an answer in the Markdown", markdown, "- answer 409: ABORTED: try again (reason: asleep), `ErrorBody` as application/json\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.text, test.want) {
				t.Errorf("got %s\nwant %s", test.text, test.want)
			}
		})
	}
	racks, _ := newRacks(nil, nil)
	if text := textOf(answerTo(racks.Docs(nil), "GET", "/", "")) + textOf(answerTo(racks.Docs(nil), "GET", "/llms.txt", "")); strings.Contains(text, `"reasons":`) || strings.Contains(text, "| reason |") {
		t.Error("a service without reasons has a table of them")
	}
}

// Verify which reason a call with an idempotency key gets.
func TestReasonsOfKeys(t *testing.T) {
	type do = func(context.Context) ([]byte, error)
	lost := errors.New("connection reset")
	gone := svc.Errorf(svc.CodeUnavailable, "the database does not answer")
	foreign := svc.Errorf(svc.CodeUnavailable, "the other service is busy").WithReason("overloaded")
	for _, test := range []struct {
		name   string
		method error // of the method
		run    func(context.Context, do) ([]byte, error)
		code   svc.Code
		want   string
	}{
		{"running", nil, func(context.Context, do) ([]byte, error) { return nil, svc.Errorf(svc.CodeAborted, "wait") }, svc.CodeAborted, "key_running"},
		{"running, wrapped", nil, func(context.Context, do) ([]byte, error) {
			return nil, fmt.Errorf("store: %w", svc.Errorf(svc.CodeAborted, "wait"))
		}, svc.CodeAborted, "key_running"},
		{"aborted with its own reason", nil, func(context.Context, do) ([]byte, error) {
			return nil, svc.Errorf(svc.CodeAborted, "wait").WithReason("shop_busy")
		}, svc.CodeAborted, "shop_busy"},
		{"aborted after the method", nil, func(ctx context.Context, do do) ([]byte, error) {
			do(ctx)
			return nil, svc.Errorf(svc.CodeAborted, "40001")
		}, svc.CodeAborted, ""},
		{"not begun", nil, func(context.Context, do) ([]byte, error) { return nil, lost }, svc.CodeUnavailable, ""},
		{"not committed", nil, func(ctx context.Context, do do) ([]byte, error) { do(ctx); return nil, lost }, svc.CodeUnavailable, "outcome_unknown"},
		{"an error of the store before", nil, func(context.Context, do) ([]byte, error) { return nil, gone }, svc.CodeUnavailable, ""},
		{"an error of the store after", nil, func(ctx context.Context, do do) ([]byte, error) { do(ctx); return nil, gone }, svc.CodeUnavailable, "outcome_unknown"},
		{"an error of the method", gone, func(ctx context.Context, do do) ([]byte, error) { return do(ctx) }, svc.CodeUnavailable, ""},
		{"an error of the method, without what is around it", gone, func(ctx context.Context, do do) ([]byte, error) {
			_, err := do(ctx)
			return nil, svc.ErrorFrom(err)
		}, svc.CodeUnavailable, ""},
		{"an error of the method's client", foreign, func(ctx context.Context, do do) ([]byte, error) { return do(ctx) }, svc.CodeUnavailable, ""},
		{"twice", nil, func(ctx context.Context, do do) ([]byte, error) { do(ctx); return do(ctx) }, svc.CodeInternal, "outcome_unknown"},
	} {
		s, _ := newRacks(test.method, func(o *svc.Options) {
			o.Idempotency = &svc.Idempotency{Run: func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
				return test.run(ctx, do)
			}}
			put := o.Methods["Put"]
			put.IdempotencyKey = svc.KeyAllowed
			o.Methods["Put"] = put
		})
		t.Run("REST: "+test.name, func(t *testing.T) {
			text := textOf(answerTo(s.REST(), "POST", "/racks", "", "Idempotency-Key", "k"))
			if reasonIn(text, "error", "reason") != test.want || reasonIn(text, "error", "code") != string(test.code) {
				t.Errorf("got %s, want %q", text, test.want)
			}
		})
		t.Run("JSON-RPC: "+test.name, func(t *testing.T) {
			text := postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"racks.put"}`, "Idempotency-Key", "k")
			if reasonIn(text, "error", "data", "reason") != test.want {
				t.Errorf("got %s, want %q", text, test.want)
			}
		})
	}
}
