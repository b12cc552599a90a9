package blackbox_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// statusAPI has a method that chooses the status of its response.
type statusAPI interface {
	Put(context.Context, *statusIn) (*statusOut, error)
}

type statusIn struct {
	Name   string `json:"name"`
	Status int    `json:"status,omitempty"`
}

type statusBase struct {
	Status int `json:"-" status:"200,201,202"`
}

type statusOut struct {
	statusBase
	ETag string `json:"-" header:"ETag,omitempty"`
	Name string `json:"name"`
}

type PutNoteOut struct {
	Status int `json:"-" status:"200,201"` // 0 means the first
	Note
}

type choosingImpl struct{ calls *int }

func (i choosingImpl) Put(_ context.Context, in *statusIn) (*statusOut, error) {
	*i.calls++
	return &statusOut{statusBase: statusBase{Status: in.Status}, Name: in.Name}, nil
}

func choosingService(calls *int) *svc.Service {
	records := make(map[string][]byte)
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		if records[id] == nil {
			record, err := do(ctx)
			if err != nil {
				return nil, err
			}
			records[id] = record
		}
		return records[id], nil
	}
	return svc.MustRegister[statusAPI](choosingImpl{calls}, choosingOptions(&svc.Idempotency{Run: run}))
}

func choosingOptions(keys *svc.Idempotency) *svc.Options {
	return &svc.Options{Resource: "notes", Idempotency: keys, Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Put": {HTTP: "PUT /notes/{name}", IdempotencyKey: svc.KeyAllowed}}}
}

// Verify that an output chooses among the statuses of its tag, and no others.
func TestStatusOfOutput(t *testing.T) {
	var calls int
	s := choosingService(&calls)
	for _, test := range []struct {
		name, body string
		want       int
	}{
		{"none", `{}`, 200}, {"the first", `{"status":200}`, 200}, {"the second", `{"status":201}`, 201}, {"the third", `{"status":202}`, 202},
		{"one that the tag does not have", `{"status":203}`, 500}, {"no status", `{"status":-1}`, 500},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			s.REST().ServeHTTP(w, request("PUT", "/notes/a", test.body, "Content-Type", "application/json"))
			if w.Code != test.want || test.want < 300 && w.Body.String() != `{"name":"a"}` || test.want == 500 && !strings.Contains(w.Body.String(), "INTERNAL") {
				t.Errorf("%d %s, want %d", w.Code, w.Body, test.want)
			}
			params := strings.ReplaceAll(strings.Replace(test.body, "{", `{"name":"a",`, 1), ",}", "}")
			answer := rpc(s, `{"jsonrpc":"2.0","id":1,"method":"notes.put","params":`+params+`}`)
			if strings.Contains(answer, `"result":{"name":"a"}`) != (test.want < 300) || strings.Contains(answer, "INTERNAL") != (test.want == 500) {
				t.Errorf("JSON-RPC: %s", answer)
			}
		})
	}
}

// Verify that the record of a key has the status, and that a client gets it in the field.
func TestStatusOfClients(t *testing.T) {
	var calls int
	s := choosingService(&calls)
	client := new(struct {
		Put func(context.Context, *statusIn) (*statusOut, error)
	})
	if err := svc.Connect[statusAPI](client, "", &svc.ClientOptions{Handler: s.REST(), Service: choosingOptions(nil)}); err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{0, 201, 202} { // Status is a member of the input
		out, err := client.Put(context.Background(), &statusIn{Name: "a", Status: status})
		if err != nil || out.Status != max(status, 200) {
			t.Errorf("Connect: %+v, %v, want %d", out, err, status)
		}
	}
	calls = 0
	for range 2 {
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, request("PUT", "/notes/a", `{"status":201}`, "Content-Type", "application/json", "Idempotency-Key", "k"))
		if w.Code != 201 || calls != 1 {
			t.Errorf("%d %s, %d calls", w.Code, w.Body, calls)
		}
	}
	for _, status := range []int{200, 202} {
		out, err := s.Call(context.Background(), "notes", "Put", &statusIn{Name: "a", Status: status})
		if err != nil || out.(*statusOut).Status != status {
			t.Errorf("Call: %+v, %v", out, err)
		}
	}
}

// Verify what documents say, and that the field is no member.
func TestStatusInDocuments(t *testing.T) {
	s := choosingService(new(int))
	for _, version := range []string{"3.0.3", "3.1", "3.2"} {
		w := httptest.NewRecorder()
		s.OpenAPI().ServeHTTP(w, request("GET", "/openapi.json?version="+version, ""))
		var document map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		responses, _ := dig(document, "paths", "/notes/{name}", "put", "responses").(map[string]any)
		for _, status := range []string{"200", "201", "202"} {
			if dig(responses[status], "content", "application/json", "schema") == nil {
				t.Errorf("%s: %s has no schema: %v", version, status, responses[status])
			}
		}
		if len(responses) < 4 || responses["203"] != nil || strings.Contains(w.Body.String(), `"Status"`) {
			t.Errorf("%s: %v", version, responses)
		}
	}
	if text := string(giving[PutNoteOut]().Contract()); !strings.Contains(strings.Join(strings.Fields(text), ""), `"statuses":[200,201]`) {
		t.Errorf("the contract is %s", text)
	}
	if text := string(s.Contract()); !strings.Contains(text, `"statuses"`) {
		t.Errorf("the contract is %s", text)
	}
}
