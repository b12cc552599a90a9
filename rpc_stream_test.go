package svc

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// A stream is one result over JSON-RPC, and runs to its end in any case.
func TestRPCStream(t *testing.T) {
	var ended []string // the causes for which a ctx was canceled before the end
	impl := &tickImpl{
		run: func(ctx context.Context, in *tickIn) (Stream[tickItem], error) {
			stream, err := ticks("")(ctx, in)
			return func(yield func(*tickItem, error) bool) {
				stream(yield)
				switch in.After {
				case 7:
					yield(nil, Errorf(CodeNotFound, "no more"))
				case 8:
					panic("oh")
				case 9: // waits for the end elsewhere than in yield
					go yield(nil, nil)
					<-ctx.Done()
				}
				ended = append(ended, fmt.Sprint(context.Cause(ctx)))
			}, err
		},
		one: func(context.Context, *tickIn) (*tickItem, error) { return &tickItem{N: 5}, nil },
	}
	s := tickService(t, impl, true, quiet)
	for _, test := range []struct{ request, want, ended string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":2}}`, `{"jsonrpc":"2.0","result":{"items":[{"n":1},{"n":2}]},"id":1}`, "<nil>"},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":1,"after":3}}`, `{"jsonrpc":"2.0","result":{"items":[{"n":4}]},"id":1}`, "<nil>"},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.all"}`, `{"jsonrpc":"2.0","result":{"items":[]},"id":1}`, "<nil>"},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.one"}`, `{"jsonrpc":"2.0","result":{"items":[{"n":5}]},"id":1}`, ""},
		{`{"jsonrpc":"2.0","method":"ticks.run","params":{"count":2000}}`, ``, errNobodyListens.Error()},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":1001}}`,
			`{"jsonrpc":"2.0","error":{"code":-32008,"message":"the stream has more than 1000 items, which is as many as fit into one answer","data":{"code":"RESOURCE_EXHAUSTED"}},"id":1}`,
			"RESOURCE_EXHAUSTED: the stream has more than 1000 items, which is as many as fit into one answer"},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":1,"after":7}}`,
			`{"jsonrpc":"2.0","error":{"code":-32005,"message":"no more","data":{"code":"NOT_FOUND"}},"id":1}`, "NOT_FOUND: no more"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":1,"after":8}},{"jsonrpc":"2.0","id":2,"method":"ticks.one"}]`,
			`[{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}},"id":1},{"jsonrpc":"2.0","result":{"items":[{"n":5}]},"id":2}]`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"after":9}}`,
			`{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}},"id":1}`, errNothingYielded.Error()},
	} {
		ended = nil
		r := httptest.NewRequest("POST", "/rpc", strings.NewReader(test.request))
		w := httptest.NewRecorder()
		s.RPC().ServeHTTP(w, r)
		if got := strings.TrimSpace(w.Body.String()); got != test.want || strings.Join(ended, "") != test.ended {
			t.Errorf("%s:\n got %.300s, ended %q\nwant %s, ended %q", test.request, got, ended, test.want, test.ended)
		}
	}
}

func TestRPCStreamDiscover(t *testing.T) {
	doc := string(appendOpenRPC(nil, tickService(t, &tickImpl{}, false, quiet)))
	want := `"result":{"name":"result","schema":{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/tickItem"},"maxItems":1000}},"required":["items"]}}`
	if strings.Count(doc, want) != 3 {
		t.Errorf("the document lacks %s three times\n%s", want, doc)
	}
}
