package blackbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests the tag body: a field that is the whole body, and members of the body of a DELETE.

type SetLabelsRequest struct {
	ID     int      `json:"id"`
	Notify bool     `query:"notify,omitempty" json:"notify,omitempty"`
	Labels []string `json:"labels" body:"*" maxItems:"100"` // the body is ["red","urgent"]
}

type UnassignRequest struct {
	ID        int      `json:"id"`
	Assignees []string `json:"assignees" body:"assignees"` // the body of a DELETE is {"assignees":["ann"]}
}

type LabelOp struct {
	Op   string `json:"op" enum:"add,remove"`
	Name string `json:"name" maxLength:"5"`
}

type LabelChange struct {
	ID  int       `json:"id"`
	Dry bool      `json:"dry,omitempty" query:"dry,omitempty"`
	Ops []LabelOp `json:"ops" body:"*" maxItems:"2"`
}

type LabelText struct {
	ID   int     `json:"id"`
	Text *string `json:"text,omitempty" body:"*" maxLength:"3"`
}

type LabelCount struct {
	ID    int `json:"id"`
	Count int `json:"count" body:"*" default:"7"`
}

type LabelDrop struct {
	ID    int      `json:"id"`
	Names []string `json:"names,omitempty" body:"names"`
	Why   string   `json:"why,omitempty"`
}

type LabelFind struct {
	ID  int    `json:"id"`
	Why string `json:"why,omitempty"`
}

type LabelSaw struct {
	Saw string `json:"saw"`
}

type LabelAPI interface {
	Change(ctx context.Context, in *LabelChange) (*LabelSaw, error)
	Write(ctx context.Context, in *LabelText) (*LabelSaw, error)
	Count(ctx context.Context, in *LabelCount) (*LabelSaw, error)
	Drop(ctx context.Context, in *LabelDrop) (*LabelSaw, error)
	Set(ctx context.Context, in *SetLabelsRequest) (*LabelSaw, error)
	Unassign(ctx context.Context, in *UnassignRequest) (*LabelSaw, error)
	Find(ctx context.Context, in *LabelFind) (*LabelSaw, error)
	Ping(ctx context.Context) error
}

type labels struct{}

func saw(format string, values ...any) (*LabelSaw, error) {
	return &LabelSaw{fmt.Sprintf(format, values...)}, nil
}

func (labels) Change(_ context.Context, in *LabelChange) (*LabelSaw, error) { return saw("%+v", *in) }
func (labels) Count(_ context.Context, in *LabelCount) (*LabelSaw, error)   { return saw("%+v", *in) }
func (labels) Drop(_ context.Context, in *LabelDrop) (*LabelSaw, error)     { return saw("%+v", *in) }
func (labels) Find(_ context.Context, in *LabelFind) (*LabelSaw, error)     { return saw("%+v", *in) }
func (labels) Set(_ context.Context, in *SetLabelsRequest) (*LabelSaw, error) {
	return saw("%+v", *in)
}
func (labels) Unassign(_ context.Context, in *UnassignRequest) (*LabelSaw, error) {
	return saw("%+v", *in)
}
func (labels) Ping(context.Context) error { return nil }

func (labels) Write(_ context.Context, in *LabelText) (*LabelSaw, error) {
	if in.Text == nil {
		return saw("%d nil", in.ID)
	}
	return saw("%d %s", in.ID, *in.Text)
}

func labelService() *svc.Service {
	return svc.MustRegister[LabelAPI](labels{}, labelOptions())
}

func labelOptions() *svc.Options {
	return &svc.Options{Resource: "labels", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Change": {HTTP: "PATCH /labels/{id}"}, "Write": {HTTP: "PUT /labels/{id}/text"}, "Count": {HTTP: "POST /labels/{id}/count"},
		"Drop": {HTTP: "DELETE /labels/{id}/names"}, "Find": {HTTP: "DELETE /labels/{id}"}, "Ping": {HTTP: "GET /labels/ping"},
		"Set": {HTTP: "PUT /labels/{id}"}, "Unassign": {HTTP: "DELETE /labels/{id}/assignees"},
	}}
}

func TestWholeBodies(t *testing.T) {
	const invalid = `400 "violations":[{"in":"body","path":"`
	h := labelService().REST()
	for _, test := range []struct{ line, body, want string }{
		{"PATCH /labels/7?dry=true", ` [{"op":"add","name":"a"}] `, `200 {"saw":"{ID:7 Dry:true Ops:[{Op:add Name:a}]}"}`},
		{"PATCH /labels/7", `[]`, `200 {"saw":"{ID:7 Dry:false Ops:[]}"}`},
		{"PATCH /labels/7", ``, invalid + `","rule":"required","message":"a JSON body is required"}]`},
		{"PATCH /labels/7", `null`, invalid + `","rule":"type"`},
		{"PATCH /labels/7", `{"ops":[]}`, invalid + `","rule":"type","message":"must be an array, is an object"}]`},
		{"PATCH /labels/7", `[{"op":"add","name":"abcdef"}]`, invalid + `/0/name","rule":"maxLength"`},
		{"PATCH /labels/7", `[{"op":"add","name":"a"},{"op":"add","name":"a"},{"op":"add","name":"a"}]`, invalid + `","rule":"maxItems"`},
		{"PATCH /labels/7", `[] []`, invalid + `","rule":"syntax"`},
		{"PATCH /labels/7", `[{"op":"add"`, invalid + `","rule":"syntax"`},
		{"PUT /labels/7?notify=true", `["red","urgent"]`, `200 {"saw":"{ID:7 Notify:true Labels:[red urgent]}"}`},
		{"DELETE /labels/7/assignees", `{"assignees":["ann"]}`, `200 {"saw":"{ID:7 Assignees:[ann]}"}`},
		{"DELETE /labels/7/assignees", ``, invalid + `","rule":"required","message":"a JSON body is required"}]`},
		{"PUT /labels/7/text", `"abc"`, `200 {"saw":"7 abc"}`},
		{"PUT /labels/7/text", `null`, `200 {"saw":"7 nil"}`},
		{"PUT /labels/7/text", "\n", `200 {"saw":"7 nil"}`},
		{"PUT /labels/7/text", `"abcd"`, invalid + `","rule":"maxLength"`},
		{"POST /labels/7/count", `3`, `200 {"saw":"{ID:7 Count:3}"}`},
		{"POST /labels/7/count", ``, `200 {"saw":"{ID:7 Count:7}"}`},
		{"DELETE /labels/7/names?why=x", `{"names":["a"]}`, `200 {"saw":"{ID:7 Names:[a] Why:x}"}`},
		{"DELETE /labels/7/names?why=x", ``, `200 {"saw":"{ID:7 Names:[] Why:x}"}`},
		{"DELETE /labels/7/names?names=a", `{"why":"x"}`, `200 {"saw":"{ID:7 Names:[] Why:}"}`},
		{"DELETE /labels/7/names", `[1]`, invalid + `","rule":"type"`},
		{"DELETE /labels/7?why=x", ` [ ] `, `200 {"saw":"{ID:7 Why:x}"}`},
		{"DELETE /labels/7", `{"why":"x"}`, invalid + `","rule":"unknown","message":"is not read: id comes from the path, why comes from the query"}]`},
		{"DELETE /labels/7", `{}x`, invalid + `","rule":"unknown"`},
		{"GET /labels/ping", `{ }`, "204 "},
		{"GET /labels/ping", `0`, invalid + `","rule":"unknown","message":"is not read: the method has no input"}]`},
	} {
		t.Run(rowName(test.line, test.body), func(t *testing.T) {
			verb, path, _ := strings.Cut(test.line, " ")
			r := httptest.NewRequest(verb, path, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			status, text, _ := strings.Cut(test.want, " ")
			if fmt.Sprint(w.Code) != status || !strings.Contains(w.Body.String(), text) {
				t.Errorf("%d %s, want %s", w.Code, w.Body, test.want)
			}
		})
	}
}

// Verify that an empty body has no Content-Type that counts, and an origin that does.
func TestEmptyBodies(t *testing.T) {
	h := labelService().REST()
	for _, test := range []struct {
		line   string
		header string
		status int
	}{
		{"POST /labels/7/count", "Content-Type: text/plain", 200},
		{"POST /labels/7/count", "Content-Type: text/plain\nSec-Fetch-Site: cross-site", 403},
		{"POST /labels/7/count", "Content-Type: application/json\nSec-Fetch-Site: cross-site", 200},
		{"PATCH /labels/7", "Content-Type: text/plain", 415},
	} {
		t.Run(rowName(test.line, test.header), func(t *testing.T) {
			verb, path, _ := strings.Cut(test.line, " ")
			r := httptest.NewRequest(verb, path, nil)
			for line := range strings.Lines(test.header) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, test.status)
			}
		})
	}
}

// Verify that all transports name a field that is the whole body, and that REST does not.
func TestWholeBodiesElsewhere(t *testing.T) {
	s := labelService()
	const params = `{"id":7,"ops":[{"op":"drop","name":"a"}]}`
	for _, answer := range []string{
		rpc(s, `{"jsonrpc":"2.0","id":1,"method":"labels.change","params":`+params+`}`),
		callTool(s.MCP(nil), "labels_change", params),
	} {
		if !strings.Contains(answer, `/ops/0/op must be one of add, remove`) {
			t.Error(answer)
		}
	}
	_, err := s.Call(context.Background(), "labels", "change", &LabelChange{ID: 7, Ops: []LabelOp{{Op: "drop"}}})
	if list := svc.ErrorFrom(err).Violations(); len(list) != 1 || list[0].Path != "/ops/0/op" || list[0].In != "body" {
		t.Errorf("%v: %+v", err, list)
	}
	var client struct {
		Write func(ctx context.Context, in *LabelText) (*LabelSaw, error)
	}
	var sent *http.Request
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r
		s.REST().ServeHTTP(w, r)
	})
	if err := svc.Connect[LabelAPI](&client, "", &svc.ClientOptions{Handler: handler, Service: labelOptions()}); err != nil {
		t.Fatal(err)
	}
	out, err := client.Write(context.Background(), &LabelText{ID: 7})
	if err != nil || out.Saw != "7 nil" || sent.ContentLength != 0 || sent.Header["Content-Type"] != nil {
		t.Errorf("%+v, %v, %d bytes of %s", out, err, sent.ContentLength, sent.Header["Content-Type"])
	}
}

// Verify that a key that is sent with a whole body, and with the same as a member, is of one call.
func TestWholeBodiesWithKeys(t *testing.T) {
	opts := labelOptions()
	records := make(map[string][]byte)
	opts.Idempotency = &svc.Idempotency{Run: func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (_ []byte, err error) {
		if records[id] == nil {
			records[id], err = do(ctx)
		}
		return records[id], err
	}}
	m := opts.Methods["Write"]
	m.IdempotencyKey = svc.KeyAllowed
	opts.Methods["Write"] = m
	s := svc.MustRegister[LabelAPI](labels{}, opts)
	write := func(body string) string {
		return textOf(answerTo(s.REST(), "PUT", "/labels/7/text", body, "Content-Type", "application/json", "Idempotency-Key", "k"))
	}
	if first := write(`"a"`); first != `{"saw":"7 a"}` {
		t.Fatal(first)
	}
	for _, test := range []struct{ body, want string }{{` "\u0061" `, `{"saw":"7 a"}`}, {`"b"`, "key_reused"}, {`null`, "key_reused"}, {``, "key_reused"}} {
		t.Run(test.body, func(t *testing.T) {
			if got := write(test.body); !strings.Contains(got, test.want) {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"labels.write","params":{"text":"a","id":7}}`
	if got := textOf(answerTo(s.RPC(), "POST", "/", call, "Content-Type", "application/json", "Idempotency-Key", "k")); !strings.Contains(got, `"result":{"saw":"7 a"}`) {
		t.Error(got)
	}
}
