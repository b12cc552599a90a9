package blackbox_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

type formatsAPI interface {
	Set(context.Context, *formatsIn) error
}

type formatsIn struct {
	ID   string               `json:"id" format:"uuid"`
	Day  string               `json:"day,omitempty" query:"day" format:"date"`
	Host string               `json:"host,omitempty" header:"X-Host" format:"hostname"`
	Mail *string              `json:"mail,omitempty" format:"email"`
	Urls []string             `json:"urls,omitempty" format:"uri"`
	Addr svc.Optional[string] `json:"addr,omitzero" format:"ipv6"`
	Tel  string               `json:"tel,omitempty" format:"phone"`
}

type formatsImpl struct{}

func (formatsImpl) Set(context.Context, *formatsIn) error { return nil }

// Verify that a checked format is a rule wherever a field comes from, over every transport.
func TestCheckedFormats(t *testing.T) {
	s := svc.MustRegister[formatsAPI](formatsImpl{}, &svc.Options{Resource: "t", Methods: map[string]svc.MethodOptions{"Set": {HTTP: "PUT /t/{id}"}}, Logger: slog.New(slog.DiscardHandler)})
	const id = "123e4567-e89b-42d3-a456-426614174000"
	for _, test := range []struct{ name, params, refused string }{
		{"all", `{"id":"` + id + `","day":"2024-02-29","host":"a.b","mail":"a@b.c","urls":["a:b"],"addr":"::1","tel":"x"}`, ""},
		{"null and absent", `{"id":"` + id + `","mail":null,"urls":[],"addr":null}`, ""},
		{"a path", `{"id":"1"}`, "/id"},
		{"a query", `{"id":"` + id + `","day":"2023-02-29"}`, "/day"},
		{"a header", `{"id":"` + id + `","host":"a_b"}`, "/host"},
		{"a pointer", `{"id":"` + id + `","mail":"a@b"}`, "/mail"},
		{"an item", `{"id":"` + id + `","urls":["a:b","/a"]}`, "/urls/1"},
		{"an Optional", `{"id":"` + id + `","addr":"127.0.0.1"}`, "/addr"},
		{"an empty text", `{"id":"` + id + `","addr":""}`, "/addr"},
	} {
		t.Run(test.name, func(t *testing.T) {
			rpcAnswer := rpc(s, `{"jsonrpc":"2.0","id":1,"method":"t.set","params":`+test.params+`}`)
			mcpAnswer := mcpPost(s.MCP(nil), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t_set","arguments":`+test.params+`}}`).Body.String()
			if test.refused == "" {
				if strings.Contains(rpcAnswer+mcpAnswer, "INVALID_ARGUMENT") {
					t.Errorf("got %s\n%s", rpcAnswer, mcpAnswer)
				}
				return
			}
			if want := `"path":"` + test.refused + `","rule":"format","message":"must be a`; !strings.Contains(rpcAnswer, want) {
				t.Errorf("got %s, want %s", rpcAnswer, want)
			}
			if want := "invalid input: " + test.refused + " must be a"; !strings.Contains(mcpAnswer, want) {
				t.Errorf("got %s, want %s", mcpAnswer, want)
			}
		})
	}
	for _, test := range []struct{ target, host, body, want string }{
		{"/t/" + id + "?day=2024-02-29", "a.b", `{}`, ""},
		{"/t/1?day=x", "a_b", `{"mail":""}`, `"in":"path","path":"/id","rule":"format" "in":"query","path":"/day","rule":"format" "in":"header","path":"/X-Host","rule":"format" "in":"body","path":"/mail","rule":"format"`},
	} {
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, request("PUT", test.target, test.body, "Content-Type", "application/json", "X-Host", test.host))
		for want := range strings.FieldsSeq(test.want) {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %s, want %s", test.target, w.Code, w.Body, want)
			}
		}
		if (w.Code == 204) != (test.want == "") {
			t.Errorf("%s: %d", test.target, w.Code)
		}
	}
	bad := "x"
	_, err := s.Call(context.Background(), "t", "Set", &formatsIn{ID: id, Mail: &bad})
	if err == nil || !strings.Contains(err.Error(), "must be an email address, such as ada@example.com") {
		t.Errorf("Call: %v", err)
	}
}
