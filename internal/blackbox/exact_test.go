package blackbox_test

import (
	"context"
	"encoding/json"
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
		Kids exTree `json:"kids,omitempty" maxItems:"2" doc:"Below."`
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
func TestExactSchemas(t *testing.T) {
	t.Parallel()
	type maxed struct {
		N uint64   `json:"n" maximum:"18446744073709551615"`
		D uint     `json:"d" default:"9223372036854775808"`
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
	for _, test := range []struct{ name, got, want string }{
		{"a maximum beyond int64", exactSchema[maxed](false), `"n":{"maximum":18446744073709551615,"minimum":0,"type":"integer"}`},
		{"a default beyond int64", exactSchema[maxed](false), `"d":{"default":9223372036854775808,"minimum":0,"type":"integer"}`},
		{"an enum beyond int64", exactSchema[maxed](false), `"items":{"enum":[1,9223372036854775808],"minimum":0,"type":"integer"}`},
		{"a maximum of int64", exactSchema[maxed](false), `"o":{"format":"int64","maximum":9223372036854775807,"minimum":0,"type":"integer"}`},
		{"a list of bytes with names", exactSchema[tiny](false), `.List: a []blackbox_test.exTiny is base64 in JSON, in which nothing can check blackbox_test.exTiny.Enum; make blackbox_test.exTiny another type of integer, such as uint16`},
		{"names that are texts", exactSchema[exKeys](false), `"byCode":{"additionalProperties":{"format":"int64","type":"integer"},"propertyNames":{"pattern":"^[a-z]{2}$","type":"string"},"type":"object"}`},
		{"names without a sign", exactSchema[exKeys](false), `"propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"}`},
		{"base64 of a tool", exactSchema[bytes](true), `"raw":{"contentEncoding":"base64","description":"A picture.","type":"string"}`},
		{"base64 elsewhere", exactSchema[bytes](false), `"raw":{"description":"A picture.","format":"byte","type":"string"}`},
		{"a list that contains itself", exactSchema[tree](false), `"maxItems":2`},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("%s: %s\nwant %s", test.name, test.got, test.want)
		}
	}
}

// Verify what is accepted at the edges, and what is said of the rest.
func TestExactInputs(t *testing.T) {
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
	status, answer, _ := exactPost[exTreeIn](svc.Options{}, "", `{"tree":[{"kids":[{},{},{}]}]}`)
	if want := `/tree/0/kids must have at most 2 items`; status != 400 || !strings.Contains(answer, want) {
		t.Errorf("three kids: %d %s, want %s", status, answer, want)
	}
}

// An exTreeIn meets exTree before exNode.
type exTreeIn struct {
	Tree exTree `json:"tree"`
}
