package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// A RefundAPI fails with the error that its input names.
type (
	RefundAPI interface {
		Create(context.Context, *Refund) (*Refund, error)
		Delete(context.Context, *RefundID) error
		List(context.Context) (*Refund, error)
		Watch(context.Context, *Refund) (svc.Stream[Refund], error)
	}
	Refund struct {
		Fail string `json:"fail,omitempty"`
	}
	RefundID struct {
		ID string `json:"id"`
	}
	refunds struct{}
)

var (
	errRefunded = svc.Errorf(svc.CodeAlreadyExists, "already refunded").WithDetail("refund", "r-1")
	errClosed   = svc.Errorf(svc.CodeAborted, "the books are being closed").WithHeader("Retry-After", "5")
	errNoRefund = svc.Errorf(svc.CodeNotFound, "there is no refund with this id")
	errOld      = svc.Errorf(svc.CodeFailedPrecondition, "the payment is too old")
	errBooks    = svc.Errorf(svc.CodeInternal, "the password of the books is wrong")
)

func refundError(name string) error {
	switch name {
	case "":
		return nil
	case "refunded":
		return errRefunded
	}
	return svc.Errorf(svc.Code(strings.ToUpper(name)), "no more of this")
}

func (refunds) Create(_ context.Context, in *Refund) (*Refund, error) {
	return in, refundError(in.Fail)
}
func (refunds) Delete(ctx context.Context, _ *RefundID) error {
	return svc.Confirm(ctx, "sure", "Delete it?")
}
func (refunds) List(context.Context) (*Refund, error) { return &Refund{}, errNoRefund }
func (refunds) Watch(_ context.Context, in *Refund) (svc.Stream[Refund], error) {
	return func(yield func(*Refund, error) bool) { yield(nil, refundError(in.Fail)) }, nil
}

func refundOptions(logger *slog.Logger) *svc.Options {
	return &svc.Options{Resource: "refunds", Logger: logger, Errors: []*svc.Error{errClosed}, Schemes: []svc.Scheme{{Type: "bearer"}}, Methods: map[string]svc.MethodOptions{
		"Create": {Errors: []*svc.Error{errRefunded, errRefunded, svc.Errorf(svc.CodeAlreadyExists, "in progress"), errOld, errBooks}},
		"Delete": {Errors: []*svc.Error{errNoRefund}, Scopes: []string{"books"}},
		"Watch":  {HTTP: "POST /refunds/watch", Errors: []*svc.Error{}},
	}}
}

// Verify what documents, OpenRPC and the Markdown say of declared errors.
func TestDeclaredErrorsInDocuments(t *testing.T) {
	s := svc.MustRegister[RefundAPI](refunds{}, refundOptions(nil))
	problems := refundOptions(nil)
	problems.OnError = svc.WriteProblem
	documents := map[string][]byte{}
	get := func(s *svc.Service, target string) []byte {
		w := httptest.NewRecorder()
		s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		return w.Body.Bytes()
	}
	documents["3.0"], documents["3.1"] = get(s, "/"), get(s, "/?openapi=3.1")
	documents["problem"] = get(svc.MustRegister[RefundAPI](refunds{}, problems), "/")
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`))
	s.RPC().ServeHTTP(w, r)
	documents["rpc"] = w.Body.Bytes()
	const shared = `{"$ref":"#/components/responses/ErrorBody"}`
	for _, test := range [][3]string{
		{"3.0", "paths /refunds post responses default", shared},
		{"3.0", "paths /refunds post responses 401", shared},
		{"3.0", "paths /refunds post responses 400", `{"description":"INVALID_ARGUMENT: invalid input; FAILED_PRECONDITION: the payment is too old","content":{"application/json":{"schema":{"$ref":"#/components/schemas/ErrorBody"},` +
			`"examples":{"error1":{"value":{"error":{"code":"FAILED_PRECONDITION","message":"the payment is too old"}}}}}}}`},
		{"3.0", "paths /refunds post responses 409 description", `"ALREADY_EXISTS: already refunded; ALREADY_EXISTS: in progress; ABORTED: the books are being closed"`},
		{"3.0", "paths /refunds post responses 409 headers", `{"Retry-After":{"schema":{"type":"string"}}}`},
		{"3.0", "paths /refunds post responses 409 content application/json examples error1 value", `{"error":{"code":"ALREADY_EXISTS","message":"already refunded","details":{"refund":"r-1"}}}`},
		{"3.0", "paths /refunds post responses 500 description", `"INTERNAL: internal error"`}, // the text is for the log alone
		{"3.0", "paths /refunds/{id} delete responses 404 description", `"NOT_FOUND: there is no refund with this id"`},
		{"3.0", "paths /refunds/{id} delete responses 403 description", `"PERMISSION_DENIED: the caller lacks a scope: books"`},
		{"3.0", "paths /refunds/{id} delete responses 409 description", `"ABORTED: the books are being closed"`},
		{"3.1", "paths /refunds/{id} delete responses 403 content application/json examples error1 value", `{"error":{"code":"PERMISSION_DENIED","message":"the caller lacks a scope: books"}}`},
		{"3.1", "paths /refunds get responses 409 description", `"ABORTED: the books are being closed"`},
		{"3.1", "paths /refunds get responses 400", shared},
		{"problem", "paths /refunds/{id} delete responses 404 content", `{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"},"examples":{"error1":{"value":` +
			`{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no refund with this id","code":"NOT_FOUND"}}}}}`},
		{"rpc", "result methods 0 errors", `[{"code":-32006,"message":"already refunded; in progress","data":{"code":"ALREADY_EXISTS","details":{"refund":"r-1"}}},` +
			`{"code":-32009,"message":"the payment is too old","data":{"code":"FAILED_PRECONDITION"}},{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}},` +
			`{"code":-32010,"message":"the books are being closed","data":{"code":"ABORTED"}}]`},
	} {
		t.Run(test[0]+": "+test[1], func(t *testing.T) {
			var got bytes.Buffer
			if text := oaAt(t, documents[test[0]], strings.Fields(test[1])...); text != "" {
				json.Compact(&got, []byte(text))
			}
			if got.String() != test[2] {
				t.Errorf("got %s\nwant %s", &got, test[2])
			}
		})
	}
	w = httptest.NewRecorder()
	s.Docs(nil).ServeHTTP(w, httptest.NewRequest("GET", "/llms.txt", nil))
	for _, line := range []string{
		"- answer 409: ALREADY_EXISTS: already refunded; ALREADY_EXISTS: in progress; ABORTED: the books are being closed, `ErrorBody` as application/json\n  - header `Retry-After`\n",
		"- answer 404: NOT_FOUND: there is no refund with this id, `ErrorBody` as application/json\n",
	} {
		if !strings.Contains(w.Body.String(), line) {
			t.Errorf("the Markdown lacks %s\n%s", line, w.Body)
		}
	}
}

// Verify which codes the log has as errors that a method has not declared, on every
// transport, and that clients get the error all the same.
func TestUndeclaredErrors(t *testing.T) {
	var log bytes.Buffer
	s := svc.MustRegister[RefundAPI](refunds{}, refundOptions(slog.New(slog.NewTextHandler(&log, nil))))
	ctx := svc.WithPrincipal(context.Background(), &svc.Principal{Scopes: []string{"books"}})
	handlers := deskHandler(s)
	for _, test := range []struct {
		method, path, input, code string
		flagged                   bool
	}{
		{"create", "/refunds", `{"fail":"refunded"}`, "ALREADY_EXISTS", false},
		{"create", "/refunds", `{"fail":"not_found"}`, "NOT_FOUND", true},
		{"create", "/refunds", `{"fail":"out_of_range"}`, "OUT_OF_RANGE", true},
		{"create", "/refunds", `{"fail":"unimplemented"}`, "UNIMPLEMENTED", true},
		{"create", "/refunds", `{"fail":"aborted"}`, "ABORTED", false}, // of Options.Errors
		{"create", "/refunds", `{"fail":"resource_exhausted"}`, "RESOURCE_EXHAUSTED", false},
		{"create", "/refunds", `{"fail":"unavailable"}`, "UNAVAILABLE", false},
		{"create", "/refunds", `{"fail":"data_loss"}`, "DATA_LOSS", false},
		{"create", "/refunds", `{"fail":"canceled"}`, "CANCELED", false},
		{"create", "/refunds", `{"fail":7}`, "INVALID_ARGUMENT", false},
		{"watch", "/refunds/watch", `{"fail":"not_found"}`, "NOT_FOUND", true}, // an empty list declares
		{"list", "", `{}`, "NOT_FOUND", false},                                 // nil does not
		{"delete", "", `{"id":"7"}`, "FAILED_PRECONDITION", false},             // of Confirm
	} {
		t.Run(test.method+" "+test.code, func(t *testing.T) {
			targets := map[string]string{
				"/rpc": `{"jsonrpc":"2.0","id":1,"method":"refunds.` + test.method + `","params":` + test.input + `}`,
				"/mcp": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refunds_` + test.method + `","arguments":` + test.input + `}}`,
			}
			if test.path != "" {
				targets[test.path] = test.input
			}
			if test.method == "delete" { // which only MCP asks about
				delete(targets, "/rpc")
			}
			for path, body := range targets {
				log.Reset()
				r := httptest.NewRequest("POST", path, strings.NewReader(body)).WithContext(ctx)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				handlers.ServeHTTP(w, r)
				flagged := strings.Contains(log.String(), `level=ERROR msg="svc: MethodOptions.Errors does not have `+test.code+`"`)
				if flagged != test.flagged || strings.Count(log.String(), "\n") != 1 || !strings.Contains(w.Body.String(), test.code) {
					t.Errorf("%s %s: %s\nlogged %s", path, test.input, w.Body, &log)
				}
			}
		})
	}
	log.Reset()
	if _, err := s.Call(ctx, "refunds", "create", &Refund{"not_found"}); svc.CodeOf(err) != svc.CodeNotFound || !strings.Contains(log.String(), "does not have NOT_FOUND") {
		t.Errorf("Call: %v, logged %s", err, &log)
	}
	log.Reset()
	if _, err := s.Call(ctx, "refunds", "create", &Refund{"refunded"}); svc.CodeOf(err) != svc.CodeAlreadyExists || log.Len() > 0 {
		t.Errorf("Call: %v, logged %s", err, &log)
	}
}
