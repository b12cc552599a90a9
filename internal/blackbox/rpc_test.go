package blackbox_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/svc"
)

// This file tests JSON-RPC against its specification, with a small arithmetic service.
// What goes over the wire is in testdata/rpc/*.txt. At the end is a fuzz target for any
// body.

// MathAPI is the service of JSON-RPC 2.0, section 7, as far as it goes: an
// output is an object, and params are given by name.
type MathAPI interface {
	Subtract(context.Context, *MathPair) (*MathResult, error)
	Sum(context.Context, *MathValues) (*MathResult, error)
	Update(context.Context, *MathValues) error
	GetData(context.Context) (*MathData, error)
	NotifyHello(context.Context, *MathValues) error
	Ping(context.Context) error
	Fail(context.Context, *MathFailure) (*MathResult, error)
	MarkDone(context.Context, *MathKey) (*MathKey, error)
}

type MathPair struct {
	Minuend    int `json:"minuend"`
	Subtrahend int `json:"subtrahend"`
}

type MathValues struct {
	Values []int `json:"values,omitempty" maxItems:"5"`
}

type MathResult struct {
	Value int `json:"value"`
	Extra any `json:"extra,omitempty"`
}

type MathData struct {
	Items []any `json:"items"`
}

type MathFailure struct {
	How string `json:"how"`
}

// MathKey has a field from every place that a REST request has.
type MathKey struct {
	ID    string `json:"id"`
	Dry   bool   `json:"dry,omitempty" query:"dry"`
	Token string `json:"-" query:"token" default:""`
	Note  string `json:"note,omitempty" maxLength:"3"`
}

// mathService implements MathAPI. called is asked at the start of every call.
type mathService struct {
	called func(ctx context.Context, method string)
}

func (s *mathService) call(ctx context.Context, method string) {
	if s.called != nil {
		s.called(ctx, method)
	}
}

func (s *mathService) Subtract(ctx context.Context, in *MathPair) (*MathResult, error) {
	s.call(ctx, "Subtract")
	return &MathResult{Value: in.Minuend - in.Subtrahend}, nil
}

func (s *mathService) Sum(ctx context.Context, in *MathValues) (*MathResult, error) {
	s.call(ctx, "Sum")
	out := new(MathResult)
	for _, v := range in.Values {
		out.Value += v
	}
	return out, nil
}

func (s *mathService) Update(ctx context.Context, _ *MathValues) error {
	s.call(ctx, "Update")
	return nil
}

func (s *mathService) GetData(ctx context.Context) (*MathData, error) {
	s.call(ctx, "GetData")
	return &MathData{[]any{"hello", 5}}, nil
}

func (s *mathService) NotifyHello(ctx context.Context, _ *MathValues) error {
	s.call(ctx, "NotifyHello")
	return nil
}

func (s *mathService) Ping(ctx context.Context) error {
	s.call(ctx, "Ping")
	return nil
}

func (s *mathService) MarkDone(ctx context.Context, in *MathKey) (*MathKey, error) {
	s.call(ctx, "MarkDone")
	in.Note += in.Token
	return in, nil
}

func (s *mathService) Fail(ctx context.Context, in *MathFailure) (*MathResult, error) {
	s.call(ctx, "Fail")
	switch in.How {
	case "panic":
		panic("secret")
	case "abort":
		panic(http.ErrAbortHandler)
	case "goexit":
		runtime.Goexit()
	case "plain":
		return nil, errors.New("secret")
	case "nothing":
		return nil, nil
	case "NaN":
		return &MathResult{Extra: []any{1, math.NaN()}}, nil
	case "marshal":
		return &MathResult{Extra: []any{1, panickingText{}}}, nil
	case "large":
		return &MathResult{Extra: strings.Repeat("x", 3<<20)}, nil
	case "huge":
		return &MathResult{Extra: strings.Repeat("x", 17<<20)}, nil
	case "details":
		return nil, svc.Errorf(svc.CodeNotFound, "no such <thing>").WithDetail("id", 17)
	}
	return nil, svc.Errorf(svc.Code(in.How), "it is %s", in.How)
}

type panickingText struct{}

func (panickingText) MarshalText() ([]byte, error) { panic("secret") }

func mathOptions() *svc.Options {
	return &svc.Options{Resource: "math", Logger: slog.New(slog.DiscardHandler), MaxBody: 300_000, Methods: mathMethods("math")}
}

func mathMethods(resource string) map[string]svc.MethodOptions {
	return map[string]svc.MethodOptions{
		"MarkDone": {HTTP: "POST /" + resource + "/{id}/done", Description: "Marks one as done."},
		"GetData":  {HTTP: "GET /" + resource + "/data"},
		"Update":   {HTTP: "PUT /" + resource},
	}
}

func newMath(t testing.TB, impl *mathService) http.Handler {
	t.Helper()
	s, err := svc.Register[MathAPI](impl, mathOptions())
	if err != nil {
		t.Fatal(err)
	}
	return s.RPC()
}

// rpcPost sends body to h and returns the answer.
func rpcPost(h http.Handler, body string) *httptest.ResponseRecorder {
	return postJSON(h, "/rpc", body)
}

// rpcGolden compares what goes over the wire for the requests with testdata/file. The
// requests between two empty lines are a case that has the name of their first comment.
func rpcGolden(t *testing.T, h http.Handler, file, requests string) {
	t.Helper()
	var cases []goldenCase
	for _, part := range strings.SplitAfter(strings.TrimLeft(requests, "\n"), "\n\n") {
		heading, _, _ := strings.Cut(strings.TrimPrefix(part, "# "), "\n")
		name, _, _ := strings.Cut(heading, ":")
		cases = append(cases, goldenCase{name, func(*testing.T) string { return rpcTranscript(h, part) }})
	}
	goldenCases(t, file, cases)
}

// rpcTranscript writes what goes over the wire for each request. Lines that
// start with # are comments.
func rpcTranscript(h http.Handler, requests string) string {
	var out strings.Builder
	for request := range strings.Lines(requests) {
		request = strings.TrimSuffix(request, "\n")
		if request == "" || request[0] == '#' {
			fmt.Fprintln(&out, request)
			continue
		}
		w := rpcPost(h, request)
		fmt.Fprintf(&out, "--> %s\n<-- %d %s\n", request, w.Code, w.Body)
	}
	return out.String()
}

// Verify every example of section 7 of the specification. What differs is that
// names have a resource in front, params by position are refused, and outputs
// are objects.
func TestRPCSpecification(t *testing.T) {
	rpcGolden(t, newMath(t, &mathService{}), "rpc/spec.txt", `
# rpc call with positional parameters: refused, since fields have names
{"jsonrpc": "2.0", "method": "math.subtract", "params": [42, 23], "id": 1}
{"jsonrpc": "2.0", "method": "math.subtract", "params": [23, 42], "id": 2}

# rpc call with named parameters
{"jsonrpc": "2.0", "method": "math.subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}
{"jsonrpc": "2.0", "method": "math.subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}

# a Notification
{"jsonrpc": "2.0", "method": "math.update", "params": {"values": [1,2,3,4,5]}}
{"jsonrpc": "2.0", "method": "foobar"}

# rpc call of non-existent method
{"jsonrpc": "2.0", "method": "foobar", "id": "1"}

# rpc call with invalid JSON
{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]

# rpc call with invalid Request object
{"jsonrpc": "2.0", "method": 1, "params": "bar"}

# rpc call Batch, invalid JSON
[ {"jsonrpc": "2.0", "method": "math.sum", "params": {"values": [1,2,4]}, "id": "1"}, {"jsonrpc": "2.0", "method" ]

# rpc call with an empty Array
[]

# rpc call with an invalid Batch (but not empty)
[1]

# rpc call with invalid Batch
[1,2,3]

# rpc call Batch
[ {"jsonrpc": "2.0", "method": "math.sum", "params": {"values": [1,2,4]}, "id": "1"}, {"jsonrpc": "2.0", "method": "math.notify_hello", "params": {"values": [7]}}, {"jsonrpc": "2.0", "method": "math.subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": "2"}, {"foo": "boo"}, {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"}, {"jsonrpc": "2.0", "method": "math.get_data", "id": "9"} ]

# rpc call Batch (all notifications)
[ {"jsonrpc": "2.0", "method": "math.notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "math.notify_hello", "params": [7]} ]
`)
}

// Verify the answers to requests whose id, version, method, params or batch is odd.
func TestRPCOddRequests(t *testing.T) {
	rpcGolden(t, newMath(t, &mathService{}), "rpc/edges.txt", `
# ids are echoed as they are written
{"jsonrpc":"2.0","method":"math.ping","id":"a\u0041\n \"é"}
{"jsonrpc":"2.0","method":"math.ping","id":0}
{"jsonrpc":"2.0","method":"math.ping","id":-0}
{"jsonrpc":"2.0","method":"math.ping","id":-1}
{"jsonrpc":"2.0","method":"math.ping","id":1.5}
{"jsonrpc":"2.0","method":"math.ping","id":1.50e+0}
{"jsonrpc":"2.0","method":"math.ping","id":1e3}
{"jsonrpc":"2.0","method":"math.ping","id":1e1000000000}
{"jsonrpc":"2.0","method":"math.ping","id":9007199254740993}
{"jsonrpc":"2.0","method":"math.ping","id":1234567890123456789012345678901234567890}
{"jsonrpc":"2.0","method":"math.ping","id":null}
{"jsonrpc":"2.0","method":"math.ping","id":true}
{"jsonrpc":"2.0","method":"math.ping","id":{"a":1}}
{"jsonrpc":"2.0","method":"math.ping","id":[1]}
{"jsonrpc":"2.0","method":"math.ping"}
{"id":7,"params":{},"method":"math.ping","jsonrpc":"2.0"}

# the version
{"jsonrpc":"1.0","method":"math.ping","id":1}
{"jsonrpc":2.0,"method":"math.ping","id":1}
{"jsonrpc":null,"method":"math.ping","id":1}
{"method":"math.ping","id":1}
{"jsonrpc":"1.0","method":"math.ping"}
{"method":"math.ping","id":true}

# the method
{"jsonrpc":"2.0","id":1}
{"jsonrpc":"2.0","method":"","id":1}
{"jsonrpc":"2.0","method":1,"id":1}
{"jsonrpc":"2.0","method":null,"id":1}
{"jsonrpc":"2.0","method":["math.ping"],"id":1}
{"jsonrpc":"2.0","method":"math.nothing","id":1}
{"jsonrpc":"2.0","method":"rpc.x","id":1}
{"jsonrpc":"2.0","method":"\u006dath.\u0070ing","id":1}

# params
{"jsonrpc":"2.0","method":"math.ping","params":[],"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":[ ],"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":{},"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":{"unknown":1},"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":null,"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":[1],"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":0,"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":"a","id":1}
{"jsonrpc":"2.0","method":"math.ping","params":true}
{"jsonrpc":"2.0","method":"math.sum","id":1}
{"jsonrpc":"2.0","method":"math.sum","params":null,"id":1}
{"jsonrpc":"2.0","method":"math.sum","params":{},"id":1}
{"jsonrpc":"2.0","method":"math.sum","params":[],"id":1}
{"jsonrpc":"2.0","method":"math.subtract","id":1}
{"jsonrpc":"2.0","method":"math.subtract","params":{"minuend":1.5,"Subtrahend":1},"id":1}
{"jsonrpc":"2.0","method":"math.subtract","params":{"minuend":1e2,"subtrahend":1.0},"id":1}
{"jsonrpc":"2.0","method":"math.sum","params":{"values":[1,"2",null,9223372036854775808]},"id":1}
{"jsonrpc":"2.0","method":"math.sum","params":{"values":[1,2,3,4,5,6]},"id":1}

# all fields by their wire names, wherever REST takes them from
{"jsonrpc":"2.0","method":"math.mark_done","params":{"id":"a","dry":true,"token":"t","note":"n"},"id":1}
{"jsonrpc":"2.0","method":"math.mark_done","params":{"dry":1,"token":2,"note":"long","id":3},"id":1}
{"jsonrpc":"2.0","method":"math.markDone","params":{"id":"a"},"id":1}
{"jsonrpc":"2.0","method":"math.markdone","params":{"id":"a"},"id":1}
{"jsonrpc":"2.0","method":"math.MarkDone","params":{"id":"a"},"id":1}

# members that mean nothing, and members that nearly mean something
{"jsonrpc":"2.0","method":"math.ping","id":1,"other":{"id":2}}
{"jsonrpc":"2.0","Method":"math.ping","id":1}
{"jsonrpc":"2.0","method":"math.sum","Method":"math.ping","ID":2,"id":1}
{"jsonrpc":"2.0","method":"math.ping","Id":1}
{"jsonrpc":"2.0","method":"math.sum","Params":{"values":[1]},"id":1}

# the same name twice calls nothing
{"jsonrpc":"2.0","method":"math.ping","method":"math.sum","id":1}
{"jsonrpc":"2.0","method":"math.ping","id":1,"i\u0064":2}
{"jsonrpc":"2.0","method":"math.sum","params":{"values":[1],"values":[2]},"id":1}
{"jsonrpc":"2.0","method":"math.ping","params":{"a":[{"b":{},"b":{}}]},"id":1}

# responses and values that are no requests
{"jsonrpc":"2.0","result":19,"id":1}
{"jsonrpc":"2.0","error":{"code":1,"message":"x"},"id":"y"}
{}
{"foo":1}
1
"math.ping"
null
true

# batches
[{"jsonrpc":"2.0","method":"math.ping","id":1}]
[{"jsonrpc":"2.0","method":"math.ping","id":1},{"jsonrpc":"2.0","method":"math.ping","id":1}]
[[{"jsonrpc":"2.0","method":"math.ping","id":1}]]
[[]]
[{},null,"a",{"jsonrpc":"2.0","method":"math.ping","id":null}]
[{"jsonrpc":"2.0","method":"math.ping"}]
[{"jsonrpc":"2.0","method":"math.ping"},{}]
[{"jsonrpc":"2.0","method":"math.ping","id":1},{"jsonrpc":"2.0","method":"math.ping","id":2,"id":2}]
[{"jsonrpc":"2.0","method":"math.ping","id":1},

# what is not JSON
{"jsonrpc":"2.0","method":"math.ping","id":1
{"jsonrpc":"2.0","method":"math.ping","id":1}}
{"jsonrpc":"2.0","method":"math.ping","id":1}{"jsonrpc":"2.0","method":"math.ping","id":1}
{"jsonrpc":"2.0","method":"math.ping","id":01}
{"jsonrpc":"2.0","method":"math.ping","id":NaN}
{"jsonrpc":"2.0","method":"math.ping\ud800","id":1}
{'jsonrpc':'2.0','method':'math.ping','id':1}
x
`)
}

// Verify that errors have the same code and message over JSON-RPC as over REST, with
// the number of the code.
func TestRPCErrors(t *testing.T) {
	h := newMath(t, &mathService{})
	var cases []goldenCase
	add := func(name, requests string) {
		cases = append(cases, goldenCase{name, func(t *testing.T) string {
			got := rpcTranscript(h, requests)
			if strings.Contains(got, "secret") {
				t.Error("a client is told what only the log should say")
			}
			return got
		}})
	}
	for _, how := range []string{
		"OK", "CANCELED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
		"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
		"DATA_LOSS", "UNAUTHENTICATED", "", "NO_SUCH_CODE", "details", "plain", "panic", "nothing", "NaN", "marshal",
	} {
		add(cmp.Or(how, "no code"), fmt.Sprintf(`{"jsonrpc":"2.0","method":"math.fail","params":{"how":%q},"id":1}`+"\n", how))
	}
	add("a notification", "\n# a notification fails without a word\n"+
		`{"jsonrpc":"2.0","method":"math.fail","params":{"how":"panic"}}`+"\n"+
		`{"jsonrpc":"2.0","method":"math.fail","params":{"how":"NOT_FOUND"}}`+"\n"+
		`{"jsonrpc":"2.0","method":"math.fail","params":{}}`+"\n")
	batches := "\n# in a batch one call fails alone\n"
	for _, how := range []string{"panic", "marshal", "NaN", "NOT_FOUND"} {
		fail := `{"jsonrpc":"2.0","method":"math.fail","params":{"how":"` + how + `"}`
		batches += "[" + strings.Join([]string{rpcPing(1), fail + `,"id":2}`, fail + "}", rpcPing(3)}, ",") + "]\n"
	}
	add("one call of a batch", batches)
	goldenCases(t, "rpc/errors.txt", cases)
}

// Verify that names are exact: no trimming, no Go names, and no other case than
// the aliases.
func TestRPCNames(t *testing.T) {
	h := newMath(t, &mathService{})
	for _, test := range []struct {
		name string
		want string
	}{
		{"math.mark_done", `"result":{"id":"a"}`},
		{"math.markDone", `"result":{"id":"a"}`},
		{"math.markdone", `"result":{"id":"a"}`},
		{"math.MarkDone", "-32601"},
		{"math.Mark_Done", "-32601"},
		{"math.mark_Done", "-32601"},
		{"math.MARKDONE", "-32601"},
		{"Math.mark_done", "-32601"},
		{"MATH.mark_done", "-32601"},
		{" math.mark_done", "-32601"},
		{"math.mark_done ", "-32601"},
		{"math.mark_done\\n", "-32601"},
		{"math.mark_done\\u0000", "-32601"},
		{"math .mark_done", "-32601"},
		{"math..mark_done", "-32601"},
		{"math.mark_done.", "-32601"},
		{".math.mark_done", "-32601"},
		{"mark_done", "-32601"},
		{"math_mark_done", "-32601"},
		{"math/mark_done", "-32601"},
		{"math.mark-done", "-32601"},
		{"math.", "-32601"},
		{".mark_done", "-32601"},
		{".", "-32601"},
		{"math.subtra\\u017ft", "-32601"},
		{"rpc.discover ", "-32601"},
		{"rpc.Discover", "-32601"},
		{"RPC.discover", "-32601"},
		{"rpc.", "-32601"},
		{"rpc.math.mark_done", "-32601"},
		{"rpc.discover", `"openrpc":"1.3`},
		{strings.Repeat("x", 64<<10), "-32601"},
	} {
		t.Run(fmt.Sprintf("%.40s", test.name), func(t *testing.T) {
			w := rpcPost(h, `{"jsonrpc":"2.0","method":"`+test.name+`","params":{"id":"a"},"id":1}`)
			if got := w.Body.String(); !strings.Contains(got, test.want) || test.want == "-32601" && len(got) > 200 {
				t.Errorf("%.40q: %.300s, want %s", test.name, got, test.want)
			}
		})
	}
}

// Verify which verbs, types and sizes of an HTTP request JSON-RPC accepts, and how it
// refuses the others.
func TestRPCHTTP(t *testing.T) {
	h := newMath(t, &mathService{})
	const ping = `{"jsonrpc":"2.0","method":"math.ping","id":1}`
	pad := func(n int) string { return ping + strings.Repeat(" ", n-len(ping)) }
	var cases []goldenCase
	for _, test := range []struct {
		name string
		wireRequest
	}{
		{"defaults", wireRequest{"POST /rpc", "", ping}},
		{"no Content-Type", wireRequest{"POST /rpc", "-", ping}},
		{"a charset of UTF-8", wireRequest{"POST /rpc", "Content-Type: application/json; charset=UTF-8", ping}},
		{"another type of JSON", wireRequest{"POST /rpc", "Content-Type: application/vnd.api+json", ping}},
		{"GET", wireRequest{"GET /rpc", "", ""}},
		{"HEAD", wireRequest{"HEAD /rpc", "", ""}},
		{"PUT", wireRequest{"PUT /rpc", "", ping}},
		{"OPTIONS", wireRequest{"OPTIONS /rpc", "", ""}},
		{"plain text", wireRequest{"POST /rpc", "Content-Type: text/plain", ping}},
		{"a form", wireRequest{"POST /rpc", "Content-Type: application/x-www-form-urlencoded", ping}},
		{"another charset", wireRequest{"POST /rpc", "Content-Type: application/json; charset=latin1", ping}},
		{"a Content-Type of more than 1 KiB", wireRequest{"POST /rpc", "Content-Type: application/json-rpc;a=" + strings.Repeat("b", 1<<10), ping}},
		{"two Content-Types", wireRequest{"POST /rpc", "Content-Type: application/json\nContent-Type: text/plain", ping}},
		{"a compressed body", wireRequest{"POST /rpc", "Content-Type: application/json\nContent-Encoding: gzip", ping}},
		{"no body", wireRequest{"POST /rpc", "Content-Type: application/json", ""}},
		{"an empty body", wireRequest{"POST /rpc", "", " \r\n"}},
		{"the largest body", wireRequest{"POST /rpc", "", pad(300_000)}},
		{"a body too large", wireRequest{"POST /rpc", "", pad(300_001)}},
	} {
		cases = append(cases, goldenCase{test.name, func(t *testing.T) string {
			answer := wireDirect(h)(t, test.wireRequest).text()
			return fmt.Sprintf("--> %s; %s; %s\n<-- %s", test.line, strings.ReplaceAll(test.header, "\n", "; "), strings.TrimSpace(test.body), answer)
		}})
	}
	goldenCases(t, "rpc/http.txt", cases)
}

// Verify that a body that does not arrive whole calls nothing.
func TestRPCRefusesBodiesCutShort(t *testing.T) {
	calls := 0
	h := newMath(t, &mathService{called: func(context.Context, string) { calls++ }})
	body := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","method":"math.ping","id":1}`), cutReader{})
	r := httptest.NewRequest(http.MethodPost, "/rpc", body)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	want := `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the request body ended early","data":{"code":"INVALID_ARGUMENT"}},"id":null}`
	if w.Code != http.StatusBadRequest || w.Body.String() != want || calls != 0 {
		t.Errorf("%d %s after %d calls, want %s after none", w.Code, w.Body, calls, want)
	}
}

type cutReader struct{}

func (cutReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Verify that InfoFrom tells a method about its call, and that a method can set a
// header of the response, except in a batch.
func TestRPCInfo(t *testing.T) {
	var seen []svc.Info
	h := newMath(t, &mathService{called: func(ctx context.Context, _ string) {
		info, _ := svc.InfoFrom(ctx)
		info.Header.Set("X-Seen", info.Method)
		seen = append(seen, info)
	}})
	w := rpcPost(h, `{"jsonrpc":"2.0","method":"math.markdone","params":{"id":"a"},"id":1}`)
	if got := w.Header().Get("X-Seen"); got != "mark_done" {
		t.Errorf("X-Seen is %q", got)
	}
	w = rpcPost(h, `[{"jsonrpc":"2.0","method":"math.ping","id":1}]`)
	if got, ok := w.Header()["X-Seen"]; ok {
		t.Errorf("a call of a batch sets X-Seen to %q for all", got)
	}
	for i, name := range []string{"mark_done", "ping"} {
		if got := seen[i]; got.Transport != "rpc" || got.Resource != "math" || got.Method != name || got.Request.URL.Path != "/rpc" {
			t.Errorf("call %d: %+v", i, got)
		}
	}
}

// logWithoutTime returns a logger that writes lines of text to w.
func logWithoutTime(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// Verify that the log has one line for each call that fails, with the cause,
// and nothing where nothing failed.
func TestRPCLog(t *testing.T) {
	const (
		invalid  = `level=WARN msg="svc: invalid input" transport=rpc method=POST path=/rpc code=INVALID_ARGUMENT error="INVALID_ARGUMENT: Invalid Request"` + "\n"
		secret   = `level=ERROR msg="svc: internal error" transport=rpc method=POST path=/rpc call=math.fail code=INTERNAL error=secret` + "\n"
		tooLarge = `level=WARN msg="svc: a limit is reached" transport=rpc method=POST path=/rpc call=math.fail code=RESOURCE_EXHAUSTED error="RESOURCE_EXHAUSTED: the call was begun, but its answer does not fit: the answers of a batch have at most 16 MiB together"` + "\n"
	)
	more := func(level string, errors, notRun int) string {
		return fmt.Sprintf(`level=%s msg="svc: more in this batch" transport=rpc method=POST path=/rpc errors=%d notRun=%d`, level, errors, notRun)
	}
	for _, test := range []struct{ name, body, want string }{
		{"a call that succeeds", `{"jsonrpc":"2.0","method":"math.ping","id":1}`, ""},
		{"an error that clients do not get to know", `{"jsonrpc":"2.0","method":"math.fail","params":{"how":"plain"},"id":1}`,
			`level=ERROR msg="svc: internal error" transport=rpc method=POST path=/rpc call=math.fail code=INTERNAL error=secret`},
		{"a notification that fails", `{"jsonrpc":"2.0","method":"math.fail","params":{"how":"NOT_FOUND"}}`,
			`level=WARN msg="svc: not found" transport=rpc method=POST path=/rpc call=math.fail code=NOT_FOUND error="NOT_FOUND: it is NOT_FOUND"`},
		{"an unknown method", `{"jsonrpc":"2.0","method":"math.nothing","id":1}`,
			`level=WARN msg="svc: not implemented" transport=rpc method=POST path=/rpc code=UNIMPLEMENTED error="UNIMPLEMENTED: Method not found"`},
		{"no JSON", `{`, `level=WARN msg="svc: invalid input" transport=rpc method=POST path=/rpc code=INVALID_ARGUMENT error="INVALID_ARGUMENT: Parse error"`},
		{"a batch with one call that is wrong", `[{},{"jsonrpc":"2.0","method":"math.ping","id":1}]`,
			`level=WARN msg="svc: invalid input" transport=rpc method=POST path=/rpc code=INVALID_ARGUMENT error="INVALID_ARGUMENT: Invalid Request"`},
		{"8 wrong calls in a batch", rpcBatchOf(8, func(int) string { return "1" }), strings.Repeat(invalid, 7) + strings.TrimSpace(invalid)},
		{"1000 wrong calls in a batch", rpcBatchOf(1000, func(int) string { return "1" }), strings.Repeat(invalid, 8) + more("WARN", 992, 0)},
		{"9 calls that fail in a batch", rpcBatchOf(9, func(i int) string { return rpcFail("plain", i) }), strings.Repeat(secret, 8) + more("ERROR", 1, 0)},
		{"an answer that does not fit", rpcBatchOf(1, func(i int) string { return rpcFail("huge", i) }), strings.TrimSpace(tooLarge)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			opts := mathOptions()
			opts.Logger = logWithoutTime(&log)
			rpcPost(svc.MustRegister[MathAPI](&mathService{}, opts).RPC(), test.body)
			if got := strings.TrimSpace(log.String()); got != test.want {
				t.Errorf("%s\n got %s\nwant %s", test.body, got, test.want)
			}
		})
	}
}

// Verify that every transport logs the same attributes in the same order, that
// the logger is that of the service a method came from.
func TestTransportsLogTheSameAttributes(t *testing.T) {
	var first, second bytes.Buffer
	logTo := func(b *bytes.Buffer, resource string) *svc.Service {
		return svc.MustRegister[MathAPI](&mathService{}, &svc.Options{Name: resource, Resource: resource, Methods: mathMethods(resource), Logger: logWithoutTime(b)})
	}
	s := svc.Join("both", logTo(&first, "one"), logTo(&second, "two"))
	const secret, warning = `level=ERROR msg="svc: internal error" `, `level=WARN msg=`
	tool := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"two_fail","arguments":{"how":"plain"}}}`
	for _, test := range []struct {
		name              string
		handler           http.Handler
		path, body        string
		inFirst, inSecond string
	}{
		{"REST", s.REST(), "/two/fail", `{"how":"plain"}`, "", secret + "transport=rest method=POST path=/two/fail call=two.fail code=INTERNAL error=secret"},
		{"REST without a route", s.REST(), "/none", `{}`, warning + `"svc: not found" transport=rest method=POST path=/none code=NOT_FOUND error="NOT_FOUND: there is nothing at this path"`, ""},
		{"JSON-RPC", s.RPC(), "/rpc", `{"jsonrpc":"2.0","id":1,"method":"two.fail","params":{"how":"plain"}}`, "", secret + "transport=rpc method=POST path=/rpc call=two.fail code=INTERNAL error=secret"},
		{"MCP", s.MCP(nil), "/mcp", tool, "", secret + "transport=mcp method=POST path=/mcp call=two.fail code=INTERNAL error=secret"},
		{"MCP without a method", s.MCP(nil), "/mcp", `{"jsonrpc":"2.0","id":2}`,
			warning + `"svc: invalid input" transport=mcp method=POST path=/mcp code=INVALID_ARGUMENT error="INVALID_ARGUMENT: /method is required"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			first.Reset()
			second.Reset()
			postJSON(test.handler, test.path, test.body)
			if got := strings.TrimSpace(first.String()); got != test.inFirst {
				t.Errorf("%s %s: the first service logs\n     %s\nwant %s", test.path, test.body, got, test.inFirst)
			}
			if got := strings.TrimSpace(second.String()); got != test.inSecond {
				t.Errorf("%s %s: the second service logs\n     %s\nwant %s", test.path, test.body, got, test.inSecond)
			}
		})
	}
}

// Verify that RPC does not serve a resource that is named rpc, which would hide
// rpc.discover.
func TestRPCRefusesResourceNamedRPC(t *testing.T) {
	opts := mathOptions()
	opts.Methods["Ping"] = svc.MethodOptions{Resource: "rpc"}
	s := svc.MustRegister[MathAPI](&mathService{}, opts)
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "it cannot serve Ping") {
			t.Errorf("RPC panics with %s", text)
		}
	}()
	s.RPC()
}

// Verify that a joined service answers for all of its parts, each with its own options,
// and that At changes no name.
func TestRPCOfJoinedServices(t *testing.T) {
	strict := mathOptions()
	strict.Strict, strict.Resource = true, "strict"
	strict.Methods = mathMethods("strict")
	joined := svc.Join("both", svc.MustRegister[MathAPI](&mathService{}, mathOptions()), svc.MustRegister[MathAPI](&mathService{}, strict))
	h := joined.At("/v1").RPC()
	for _, test := range []struct{ method, want string }{
		{"math.sum", `{"jsonrpc":"2.0","result":{"value":0},"id":1}`},
		{"strict.sum", `"violations":[{"in":"body","path":"/unknown","rule":"unknown","message":"is not a known property"}]`},
	} {
		t.Run(test.method, func(t *testing.T) {
			w := rpcPost(h, `{"jsonrpc":"2.0","method":"`+test.method+`","params":{"unknown":1},"id":1}`)
			if !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s, want %s", w.Body, test.want)
			}
		})
	}
}

// Verify that a method without an input accepts any object and an empty list as params,
// unless the service is strict, which refuses unknown names.
func TestRPCNoInput(t *testing.T) {
	strict := mathOptions()
	strict.Strict = true
	for _, test := range []struct{ name, params, want, strict string }{
		{"no params", ``, `"result"`, `"result"`},
		{"an empty object", `,"params":{}`, `"result"`, `"result"`},
		{"an empty list", `,"params":[]`, `"result"`, `"result"`},
		{"unknown names", `,"params":{"a":1,"b":{"c":[]}}`, `"result"`, `"violations":[{"in":"body","path":"/a","rule":"unknown","message":"is not a known property"},{"in":"body","path":"/b","rule":"unknown"`},
		{"a list of one", `,"params":[1]`, `"maxItems"`, `"maxItems"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for o, want := range map[*svc.Options]string{mathOptions(): test.want, strict: test.strict} {
				w := rpcPost(svc.MustRegister[MathAPI](&mathService{}, o).RPC(), `{"jsonrpc":"2.0","method":"math.get_data","id":1`+test.params+`}`)
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("%s, strict %t: %s, want %s", test.params, o.Strict, w.Body, want)
				}
			}
		})
	}
}

// Verify that the OpenRPC document names every method, that each of its references has
// a target, and that it is the same each time.
func TestRPCDiscover(t *testing.T) {
	s := svc.MustRegister[WireAPI](newWireStore(), &svc.Options{Resource: "items", Description: "Items of every kind.", Version: "1.2.3"})
	const request = `{"jsonrpc":"2.0","method":"rpc.discover","id":1}`
	body := rpcPost(s.RPC(), request).Body.Bytes()
	if again := rpcPost(s.RPC(), request).Body.Bytes(); !bytes.Equal(body, again) {
		t.Error("two documents of one service differ")
	}
	var response struct {
		Result struct {
			Methods    []struct{ Name string }
			Components struct{ Schemas map[string]any }
		}
	}
	if err := json.Unmarshal(body, &response); err != nil {
		t.Fatal(err)
	}
	if n := len(response.Result.Methods); n != 9 {
		t.Errorf("%d methods, want 9", n)
	}
	for _, part := range strings.Split(string(body), `"$ref":"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if response.Result.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "rpc/discover.txt", append(pretty.Bytes(), '\n'))
	if body := rpcPost(newParams(), request).Body.String(); !mcpMatches(body, `…"params":[{"name":"text",…{"name":"note",…`) {
		t.Errorf("a required param does not come first (OpenRPC 1.3, Method Object): %s", body)
	}
}

// paramsAPI has inputs that are decoded while the message is read, and others that
// wait for the call.
type paramsAPI interface {
	Plain(context.Context, *plainParams) (*plainParams, error)
	Custom(context.Context, *customParams) error
}

type plainParams struct {
	Title  string            `json:"title" minLength:"1" maxLength:"9"`
	Tags   []string          `json:"tags,omitempty" maxItems:"2"`
	Part   *plainParams      `json:"part,omitempty"`
	Counts map[string]int8   `json:"counts,omitempty"`
	Any    any               `json:"any,omitempty"`
	Share  float32           `json:"share,omitempty" maximum:"0.1"`
	Level  svc.Optional[int] `json:"level,omitzero" minimum:"1"`
	Size   int               `json:"size,omitempty" default:"7"`
}

// Validate makes title the name of a violation that only the call can find.
func (p *plainParams) Validate() error {
	if p.Title == "no" {
		return svc.Errorf(svc.CodeInvalidArgument, "no is no title")
	}
	return nil
}

type customParams struct {
	Note string      `json:"note,omitempty"`
	Text countedText `json:"text"`
}

// A countedText counts how often text was decoded.
type countedText struct{ s string }

var decodedTexts atomic.Int64

func (t *countedText) UnmarshalText(text []byte) error {
	decodedTexts.Add(1)
	t.s = string(text)
	return nil
}

func (t countedText) MarshalText() ([]byte, error) { return []byte(t.s), nil }

type paramsImpl struct{}

func (paramsImpl) Plain(_ context.Context, in *plainParams) (*plainParams, error) { return in, nil }
func (paramsImpl) Custom(context.Context, *customParams) error                    { return nil }

func newParams() http.Handler {
	return svc.MustRegister[paramsAPI](paramsImpl{}, &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler)}).RPC()
}

// paramsTwice answers a call with the params behind the method, which are decoded
// while the message is read, and with the params in front of it, which are decoded
// at the call. Both are at the same byte of the text, since errors have it.
func paramsTwice(h http.Handler, params string) (behind, before string) {
	const form = `{"jsonrpc":"2.0",%s,"params":%s,%s,"id":1}`
	method, other := `"method":"p.plain"`, `"ignore":"ignored"`
	behind = rpcPost(h, fmt.Sprintf(form, method, params, other)).Body.String()
	return behind, rpcPost(h, fmt.Sprintf(form, other, params, method)).Body.String()
}

// paramsTexts are params of p.plain, good and bad.
var paramsTexts = []struct{ name, text string }{
	{"a title", `{"title":"a"}`},
	{"an empty object", `{}`},
	{"an empty list", `[]`},
	{"a list of one", `[1]`},
	{"null", `null`},
	{"a number", `7`},
	{"spaces", ` { "title" : "a" , "tags" : [ "b" ] } `},
	{"a title that only Validate refuses", `{"title":"no"}`},
	{"an empty title", `{"title":""}`},
	{"a long title and many tags", `{"title":"0123456789","tags":["a","b","c"]}`},
	{"a part without a title", `{"title":"a","part":{"title":"b","part":{}}}`},
	{"a count out of range", `{"title":"a","counts":{"b":1,"c":300}}`},
	{"a field twice", `{"title":"a","title":"b"}`},
	{"an unknown name twice", `{"title":"a","x":{"y":1,"y":2}}`},
	{"a key of a map twice", `{"title":"a","counts":{"b":1,"b":2}}`},
	{"any value", `{"title":"a","any":{"b":[1,null,{"c":"\u00e4"}]}}`},
	{"any value with a name twice", `{"title":"a","any":{"b":1,"b":1}}`},
	{"a number over its maximum by little", `{"title":"a","share":0.10000000001}`},
	{"null for an Optional", `{"title":"a","level":null}`},
	{"an Optional under its minimum", `{"title":"a","level":0}`},
	{"a value as deep as can be", `{"title":"a","any":` + strings.Repeat("[", 997) + strings.Repeat("]", 997) + `}`},
	{"a value that is too deep", `{"title":"a","any":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`},
	{"no end", `{"title":"a"`},
	{"a comma before the end", `{"title":"a",}`},
	{"half a character", `{"title":"\ud800"}`},
	{"no UTF-8", "{\"title\":\"\xff\"}"},
	{"a literal cut short", `{"title":tru}`},
	{"a number with a zero in front", `{"size":01}`},
}

// Verify that params behind the method, which are decoded while the message is read,
// get the same answer as params in front of it.
func TestRPCParamsInAnyPlace(t *testing.T) {
	h := newParams()
	for _, test := range paramsTexts {
		t.Run(test.name, func(t *testing.T) {
			params := test.text
			behind, before := paramsTwice(h, params)
			if behind != before || behind == "" {
				t.Errorf("params %.80s\n got %.300s\nwant %.300s", params, behind, before)
			}
			batch := rpcPost(h, `[{"jsonrpc":"2.0","method":"p.plain","params":{"title":"first","tags":["x","y"]},"id":0},{"jsonrpc":"2.0","method":"p.plain","params":`+params+`,"id":1},{"jsonrpc":"2.0","method":"p.plain","params":{"title":"last"},"id":2}]`).Body.String()
			first, last := `[{"jsonrpc":"2.0","result":{"title":"first","tags":["x","y"],"size":7},"id":0},`, `,{"jsonrpc":"2.0","result":{"title":"last","size":7},"id":2}]`
			if !strings.Contains(behind, "-32700") && batch != first+before+last {
				t.Errorf("batch with params %.80s\n got %.500s\nwant %.300s between the others", params, batch, before)
			}
		})
	}
}

// Verify that arguments of a tool get the same answer behind and in front of its name.
func TestMCPArgumentsInAnyPlace(t *testing.T) {
	h := svc.MustRegister[paramsAPI](paramsImpl{}, &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler)}).MCP(nil)
	const form = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s,"arguments":%s,%s}}`
	const name, other = `"name":"p_plain"`, `"nome":"p_plain"`
	for _, test := range paramsTexts {
		t.Run(test.name, func(t *testing.T) {
			arguments := test.text
			behind := rpcPost(h, fmt.Sprintf(form, name, arguments, other))
			before := rpcPost(h, fmt.Sprintf(form, other, arguments, name))
			if behind.Code != before.Code || behind.Body.String() != before.Body.String() || behind.Body.Len() == 0 {
				t.Errorf("arguments %.80s\n got %d %.300s\nwant %d %.300s", arguments, behind.Code, behind.Body, before.Code, before.Body)
			}
		})
	}
}

// Verify that no code of the application runs for a text that is not JSON, nor before
// the caller is known.
func TestRPCParamsRunNoCode(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"p.custom","params":{"text":"a"}}`
	closed := svc.MustRegister[paramsAPI](paramsImpl{}, &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler), Defaults: svc.Defaults{Auth: "bearer"},
		Methods: map[string]svc.MethodOptions{"Custom": {Scopes: []string{"custom"}}}}).RPC()
	for _, test := range []struct {
		name string
		h    http.Handler
		body string
		want int64 // how many texts are decoded
	}{
		{"one call", newParams(), call, 1},
		{"a call and garbage", newParams(), call + "x", 0},
		{"a batch without an end", newParams(), "[" + call + ",", 0},
		{"a batch of two", newParams(), "[" + call + "," + call + "]", 2},
		{"no caller", closed, call, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			decodedTexts.Store(0)
			rpcPost(test.h, test.body)
			if got := decodedTexts.Load(); got != test.want {
				t.Errorf("%s: %d texts decoded, want %d", test.body, got, test.want)
			}
		})
	}
}

// FuzzRPCParams verifies that params get the same answer behind the method as in front
// of it.
func FuzzRPCParams(f *testing.F) {
	for _, params := range paramsTexts {
		f.Add(params.text)
	}
	h := newParams()
	f.Fuzz(func(t *testing.T, params string) {
		behind, before := paramsTwice(h, params)
		if json.Valid([]byte(params)) && behind != before || strings.Contains(behind, `"error"`) != strings.Contains(before, `"error"`) {
			t.Errorf("params %s\n got %s\nwant %s", params, behind, before)
		}
	})
}

// Verify on any body that the answer is well formed, and that it has one
// response for each request that wants one, in order, with the id as it was
// written. The seeds are the requests of the transcripts.
func FuzzRPC(f *testing.F) {
	files, err := filepath.Glob("testdata/rpc/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no transcripts", err)
	}
	for _, file := range files {
		text, err := readText(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if request, ok := strings.CutPrefix(line, "--> "); ok {
				f.Add([]byte(strings.TrimSpace(request)))
			}
		}
	}
	h := newMath(f, &mathService{})
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("abort")) || bytes.Contains(body, []byte("goexit")) {
			t.Skip("asks for the connection to be dropped")
		}
		w := rpcPost(h, string(body))
		if w.Code == http.StatusRequestEntityTooLarge {
			return
		}
		got, single := rpcIDs(t, w.Body.Bytes())
		if (w.Code == http.StatusNoContent) != (len(got) == 0) || w.Code != http.StatusOK && w.Code != http.StatusNoContent {
			t.Fatalf("status %d with %d responses", w.Code, len(got))
		}
		if bytes.HasPrefix(w.Body.Bytes(), []byte(`{"jsonrpc":"2.0","error":{"code":-32700,`)) {
			return // FuzzRPCText knows when it is right
		}
		items := []json.RawMessage{body}
		batch := bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
		if batch {
			items = nil
			if err := json.Unmarshal(body, &items); err != nil {
				t.Fatalf("called, and no JSON: %v", err)
			}
		}
		var want []string
		for _, item := range items {
			if id, answered := rpcWantsAnswer(item); answered {
				want = append(want, id)
			}
		}
		if refused := batch && (len(items) == 0 || len(items) > 1000); refused {
			want = []string{"null"}
		} else if batch == single && len(got) > 0 {
			t.Fatalf("a batch is answered with an array, and nothing else is: %s", w.Body)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("ids %q, want %q: %s", got, want, w.Body)
		}
	})
}

// rpcIDs returns the ids of the responses in body, and whether body is one that
// is not in an array.
func rpcIDs(t *testing.T, body []byte) (ids []string, single bool) {
	t.Helper()
	if len(body) == 0 {
		return nil, false
	}
	var list []map[string]json.RawMessage
	if single = body[0] != '['; single {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, response := range list {
		_, hasResult := response["result"]
		_, hasError := response["error"]
		if string(response["jsonrpc"]) != `"2.0"` || hasResult == hasError || len(response) != 3 || response["id"] == nil {
			t.Fatalf("this is no response: %s", body)
		}
		ids = append(ids, string(response["id"]))
	}
	return ids, single
}

// rpcWantsAnswer says by the specification alone whether a request is answered,
// and with which id.
func rpcWantsAnswer(item json.RawMessage) (id string, answered bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil || members == nil {
		return "null", true
	}
	if given, ok := members["id"]; ok {
		if strings.IndexByte(`"-0123456789n`, given[0]) >= 0 {
			return string(given), true
		}
		return "null", true
	}
	var version, method string
	params, hasParams := members["params"]
	valid := json.Unmarshal(members["jsonrpc"], &version) == nil && version == "2.0" &&
		json.Unmarshal(members["method"], &method) == nil && string(members["method"]) != "null" &&
		(!hasParams || strings.IndexByte(`{[n`, params[0]) >= 0)
	return "null", !valid
}
