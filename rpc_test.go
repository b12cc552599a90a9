package svc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

var rpcKindNames = [...]string{"invalid", "request", "notification", "response"}

// rpcSaid spells what was read of a text, for tables.
func rpcSaid(text string, limit int) string {
	var s scanner
	var t rpcText
	t.readText(&s, []byte(text), limit, nil)
	if s.err != nil {
		return s.err.rule
	}
	var b strings.Builder
	if t.batch {
		fmt.Fprintf(&b, "batch of %d:", t.count)
	}
	for i := range t.messages {
		m := &t.messages[i]
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(rpcKindNames[m.kind])
		if m.violation != nil {
			b.WriteString(" " + m.violation.Path + " " + m.violation.Rule)
		}
		for _, part := range []struct {
			name string
			text []byte
		}{{"id", m.id}, {"method", m.method}, {"params", m.params}} {
			if part.text != nil {
				fmt.Fprintf(&b, " %s=%s", part.name, part.text)
			}
		}
	}
	return b.String()
}

var rpcTexts = []struct{ text, want string }{
	{`{"jsonrpc":"2.0","method":"a.b","id":1}`, `request id=1 method=a.b`},
	{` { "id" : 1 , "params" : [ 1 , 2 ] , "method" : "a.b" , "jsonrpc" : "2.0" } `, `request id=1 method=a.b params=[ 1 , 2 ]`},
	{`{"jsonrpc":"2.0","method":"a.b","params":{"x":[{}]}}`, `notification method=a.b params={"x":[{}]}`},
	{`{"jsonrpc":"2.0","method":"","id":1}`, `request id=1 method=`},

	// Ids are opaque.
	{`{"jsonrpc":"2.0","method":"a","id":"x\u0041\n"}`, `request id="x\u0041\n" method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":""}`, `request id="" method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":0}`, `request id=0 method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":-0}`, `request id=-0 method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":-1}`, `request id=-1 method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":1.50}`, `request id=1.50 method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":1e3}`, `request id=1e3 method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":1e999999999}`, `request id=1e999999999 method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":1234567890123456789012345678901234567890}`, `request id=1234567890123456789012345678901234567890 method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":null}`, `request id=null method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":true}`, `invalid /id type method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":false}`, `invalid /id type method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":{}}`, `invalid /id type method=a`},
	{`{"jsonrpc":"2.0","method":"a","id":[1]}`, `invalid /id type method=a`},

	{`{"jsonrpc":"1.0","method":"a","id":1}`, `invalid /jsonrpc enum id=1 method=a`},
	{`{"jsonrpc":"2.00","method":"a","id":1}`, `invalid /jsonrpc enum id=1 method=a`},
	{`{"jsonrpc":2.0,"method":"a","id":1}`, `invalid /jsonrpc enum id=1 method=a`},
	{`{"jsonrpc":null,"method":"a","id":1}`, `invalid /jsonrpc enum id=1 method=a`},
	{`{"method":"a","id":1}`, `invalid /jsonrpc required id=1 method=a`},
	{`{"jsonrpc":"\u0032.0","method":"a","id":1}`, `request id=1 method=a`}, // the same string

	{`{"jsonrpc":"2.0","id":1}`, `invalid /method required id=1`},
	{`{"jsonrpc":"2.0","method":1,"id":1}`, `invalid /method type id=1`},
	{`{"jsonrpc":"2.0","method":null,"id":1}`, `invalid /method type id=1`},
	{`{"jsonrpc":"2.0","method":"\u0061.\u0062","id":1}`, `request id=1 method=a.b`},
	{`{"jsonrpc":"2.0","m\u0065thod":"a","id":1}`, `request id=1 method=a`},

	{`{"jsonrpc":"2.0","method":"a","params":null,"id":1}`, `request id=1 method=a`},
	{`{"jsonrpc":"2.0","method":"a","params":{},"id":1}`, `request id=1 method=a params={}`},
	{`{"jsonrpc":"2.0","method":"a","params":[],"id":1}`, `request id=1 method=a params=[]`},
	{`{"jsonrpc":"2.0","method":"a","params":"x","id":1}`, `invalid /params type id=1 method=a`},
	{`{"jsonrpc":"2.0","method":"a","params":0,"id":1}`, `invalid /params type id=1 method=a`},
	{`{"jsonrpc":"2.0","method":"a","params":false}`, `invalid /params type method=a`},

	// Names match exactly.
	{`{"jsonrpc":"2.0","Method":"a","id":1}`, `invalid /method required id=1`},
	{`{"jsonrpc":"2.0","method\u0000":"a","id":1}`, `invalid /method required id=1`},
	{`{"jsonrpc":"2.0","method":"a","METHOD":"b","Id":2,"PARAMS":{},"id":1}`, `request id=1 method=a`},
	{`{"jsonrpc":"2.0","method":"a","ID":1}`, `notification method=a`},
	{`{"jsonrpc":"2.0","method":"a","other":[1,{"method":"b"}],"id":1}`, `request id=1 method=a`},

	{`{"jsonrpc":"2.0","result":19,"id":1}`, `response id=1 params=19`},
	{`{"jsonrpc":"2.0","result":null,"id":1}`, `response id=1 params=null`},
	{`{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":null}`, `response id=null`},
	{`{"jsonrpc":"2.0","error":{}}`, `response`},
	{`{"jsonrpc":"2.0","method":"a","result":1,"id":1}`, `request id=1 method=a`},
	{`{"result":1,"id":1}`, `invalid /jsonrpc required id=1`},

	{`{}`, `invalid /jsonrpc required`},
	{`1`, `invalid  type`},
	{`"a"`, `invalid  type`},
	{`null`, `invalid  type`},

	{`[]`, `batch of 0:`},
	{`[1,2,3]`, `batch of 3: invalid  type invalid  type invalid  type`},
	{`[[]]`, `batch of 1: invalid  type`},
	{`[[{"jsonrpc":"2.0","method":"a","id":1}]]`, `batch of 1: invalid  type`},
	{` [ {"jsonrpc":"2.0","method":"a","id":1} , {"jsonrpc":"2.0","method":"b"} ] `, `batch of 2: request id=1 method=a notification method=b`},
	{`[{},{},{},{}]`, `batch of 4: invalid /jsonrpc required invalid /jsonrpc required invalid /jsonrpc required`}, // the limit is 3

	{``, `syntax`},
	{` `, `syntax`},
	{`{`, `syntax`},
	{`[`, `syntax`},
	{`[{}`, `syntax`},
	{`[{},]`, `syntax`},
	{`[{},{},{},{},x]`, `syntax`},
	{`{"jsonrpc":"2.0","method":"a","id":1} {}`, `syntax`},
	{`{"jsonrpc":"2.0","method":"a","id":1]`, `syntax`},
	{`{"jsonrpc":"2.0","method":"a","params":"bar","baz]`, `syntax`},
	{"\ufeff{}", `syntax`},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", `syntax`},
	{`{"jsonrpc":"2.0","method":"\ud800"}`, `syntax`},
	{strings.Repeat("[", 100_000), `syntax`},
	{`{"jsonrpc":"2.0","method":"a","method":"b","id":1}`, `duplicate`},
	{`{"jsonrpc":"2.0","method":"a","m\u0065thod":"b","id":1}`, `duplicate`},
	{`{"jsonrpc":"2.0","method":"a","id":1,"id":1}`, `duplicate`},
	{`{"jsonrpc":"2.0","method":"a","params":{"a":[{"x":1,"x":2}]},"id":1}`, `duplicate`},
	{`[{"jsonrpc":"2.0","method":"a","id":1},{"x":1,"x":2}]`, `duplicate`},
	{`[{},{},{},{"x":1,"x":2}]`, `duplicate`},
}

func TestRPCText(t *testing.T) {
	for _, test := range rpcTexts {
		if got := rpcSaid(test.text, 3); got != test.want {
			t.Errorf("%.80s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// Verify that reading costs no allocation once there is memory for it.
func TestRPCTextAllocations(t *testing.T) {
	single := []byte(`{"jsonrpc":"2.0","method":"todos.create","params":{"title":"a","tags":["b"]},"id":1}`)
	batch := []byte("[" + strings.Repeat(string(single)+",", 19) + string(single) + "]")
	var s scanner
	var text rpcText
	for _, body := range [][]byte{single, batch} {
		if n := testing.AllocsPerRun(100, func() { text.readText(&s, body, 1000, nil) }); n != 0 {
			t.Errorf("%.40s: %v allocations", body, n)
		}
	}
}

func TestAppendRPC(t *testing.T) {
	result := func(id []byte) []byte { return endRPCResult(append(beginRPCResult(nil), "19"...), id) }
	for _, test := range []struct {
		got  []byte
		want string
	}{
		{result([]byte("1.50")), `{"jsonrpc":"2.0","result":19,"id":1.50}`},
		{result(rpcNull), `{"jsonrpc":"2.0","result":19,"id":null}`},
		{result(nil), `{"jsonrpc":"2.0","result":19}`},
		{appendRPCError(nil, rpcParseError, "Parse error", nil, rpcNull), `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}`},
		{appendRPCError([]byte("x"), 1, "\"\n", []byte("[1]"), nil), `x{"jsonrpc":"2.0","error":{"code":1,"message":"\"\n","data":[1]}}`},
		{appendRPCErrorOf(nil, Errorf(CodeNotFound, "none"), nil), `{"jsonrpc":"2.0","error":{"code":-32005,"message":"none","data":{"code":"NOT_FOUND"}}}`},
		{appendRPCErrorOf(nil, Errorf(CodeNotFound, "x").WithDetail("id", "1"), rpcNull), `{"jsonrpc":"2.0","error":{"code":-32005,"message":"x","data":{"code":"NOT_FOUND","details":{"id":"1"}}},"id":null}`},
	} {
		t.Run(test.want, func(t *testing.T) {
			if string(test.got) != test.want {
				t.Errorf("got  %s\nwant %s", test.got, test.want)
			}
		})
	}
}

// A countingReader is a paramsReader that reads nothing, and counts.
type countingReader struct{ asked int }

func (r *countingReader) readParams(*rpcMessage) { r.asked++ }

// Verify that the inputs of a long batch are not all made before its first call runs,
// since together they could take any memory.
func TestRPCEagerParams(t *testing.T) {
	call := `{"jsonrpc":"2.0","method":"a.b","params":{},"id":1}`
	for _, test := range []struct {
		text string
		want int
	}{
		{call, 1}, {"[" + call + "," + call + "]", 2},
		{strings.Replace(call, "{}", `{"a":"`+strings.Repeat("x", maxEagerBatch)+`"}`, 1), 1},
		{"[" + call + strings.Repeat(","+call, maxEagerBatch/len(call)) + "]", 0},
	} {
		t.Run(test.text, func(t *testing.T) {
			var s scanner
			var text rpcText
			reader := new(countingReader)
			if text.readText(&s, []byte(test.text), 1000, reader); s.err != nil || reader.asked != test.want {
				t.Errorf("%.80s… of %d bytes: %v, read %d params, want %d", test.text, len(test.text), s.err, reader.asked, test.want)
			}
		})
	}
}

// Verify on any text that it is read as JSON if and only if it is, and that
// what is read of a message is what encoding/json reads.
func FuzzRPCText(f *testing.F) {
	for _, test := range rpcTexts {
		f.Add([]byte(test.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s, plain scanner
		var got rpcText
		got.readText(&s, text, 4, nil)
		plain.reset(text)
		plain.skipValue()
		plain.checkEnd()
		if (s.err == nil) != (plain.err == nil) {
			t.Fatalf("read: %v; the scanner alone: %v", s.err, plain.err)
		}
		if s.err != nil {
			return
		}
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Fatal("read as JSON, which it is not")
		}
		var items []json.RawMessage
		if !got.batch {
			items = append(items, text)
		} else if err := json.Unmarshal(text, &items); err != nil {
			t.Fatal(err)
		}
		if got.count != len(items) || len(got.messages) != min(4, len(items)) {
			t.Fatalf("%d messages, %d kept, of %d", got.count, len(got.messages), len(items))
		}
		for i := range got.messages {
			rpcCompare(t, &got.messages[i], items[i])
		}
	})
}

// rpcCompare compares m with what encoding/json reads by exact names.
func rpcCompare(t *testing.T, m *rpcMessage, item json.RawMessage) {
	t.Helper()
	if (m.kind == rpcInvalid) != (m.violation != nil) {
		t.Fatalf("kind %d with violation %v", m.kind, m.violation)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil || members == nil {
		if m.violation == nil || !strings.HasPrefix(m.violation.Message, rpcNotObject.message) {
			t.Fatalf("%s: violation %v, want that it is no object", item, m.violation)
		}
		return
	}
	var version, method string
	json.Unmarshal(members["jsonrpc"], &version)
	isMethod := json.Unmarshal(members["method"], &method) == nil && string(members["method"]) != "null"
	id, hasID := members["id"]
	goodID := hasID && strings.Contains(`"-0123456789n`, string(id[:1]))
	if goodID != (m.id != nil) || goodID && string(m.id) != string(id) {
		t.Errorf("id %s, want %s", m.id, id)
	}
	if string(m.method) != method || isMethod != (m.method != nil) {
		t.Errorf("method %s, want %s", m.method, method)
	}
	params := members["params"]
	if m.kind == rpcResponse {
		params = members["result"]
	}
	if m.params != nil && string(m.params) != string(params) {
		t.Errorf("params %s, want %s", m.params, params)
	}
	called := m.kind == rpcRequest || m.kind == rpcNotification
	if called && (version != "2.0" || !isMethod || hasID != (m.kind == rpcRequest) || hasID && !goodID) {
		t.Errorf("%s counts as kind %d", item, m.kind)
	}
}

// A stream is one result over JSON-RPC, and runs to its end in any case.
func TestRPCStream(t *testing.T) {
	var ended []string // the causes for which a ctx was canceled before the end
	impl := &tickImpl{
		run: func(ctx context.Context, in *tickIn) (Stream[tickItem], error) {
			text := ""
			if in.After == 6 {
				text = strings.Repeat("x", 4<<20)
			}
			stream, err := ticks(text)(ctx, in)
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
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":4,"after":6}}`,
			`{"jsonrpc":"2.0","error":{"code":-32008,"message":"the items of the stream have more than 16 MiB, which is as much as fits into one answer","data":{"code":"RESOURCE_EXHAUSTED"}},"id":1}`,
			errItemsTooLarge.Error()},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":1,"after":7}}`,
			`{"jsonrpc":"2.0","error":{"code":-32005,"message":"no more","data":{"code":"NOT_FOUND"}},"id":1}`, "NOT_FOUND: no more"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"count":1,"after":8}},{"jsonrpc":"2.0","id":2,"method":"ticks.one"}]`,
			`[{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}},"id":1},{"jsonrpc":"2.0","result":{"items":[{"n":5}]},"id":2}]`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ticks.run","params":{"after":9}}`,
			`{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}},"id":1}`, "the stream yielded neither an item nor an error"},
	} {
		t.Run(test.request, func(t *testing.T) {
			ended = nil
			r := httptest.NewRequest("POST", "/rpc", strings.NewReader(test.request))
			w := httptest.NewRecorder()
			s.RPC().ServeHTTP(w, r)
			if got := strings.TrimSpace(w.Body.String()); got != test.want || strings.Join(ended, "") != test.ended {
				t.Errorf("%s:\n got %.300s, ended %q\nwant %s, ended %q", test.request, got, ended, test.want, test.ended)
			}
		})
	}
}

func TestRPCStreamDiscover(t *testing.T) {
	doc := string(buildOpenRPC(&tickService(t, &tickImpl{}, false, quiet).service))
	want := `"result":{"name":"result","schema":{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/tickItem"},"maxItems":1000}},"required":["items"]}}`
	if strings.Count(doc, want) != 3 {
		t.Errorf("the document lacks %s three times\n%s", want, doc)
	}
}
