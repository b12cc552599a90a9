package blackbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"example.com/svc"
)

// These tests send what could cost much, or what a response repeats, around each limit.

// TestEchoedHeadersAreShort sends everything that a header of the response repeats, in lengths around
// the limit. A proxy takes a server whose header does not fit into its buffer for
// broken, and then nobody gets through.
func TestEchoedHeadersAreShort(t *testing.T) {
	service := svc.MustRegister[interface{ Poke(context.Context) error }](new(poker), &svc.Options{Name: "Pokes", Resource: "pokes", Logger: slog.New(slog.DiscardHandler)})
	anything := svc.BearerOptions{Scopes: []string{"one"}, Logger: slog.New(slog.DiscardHandler)}
	scoped := func(scopes ...string) http.Handler {
		return svc.Bearer(func(context.Context, string) (*svc.Principal, error) {
			return &svc.Principal{Scopes: scopes}, nil
		}, &anything)(service.REST())
	}
	cors := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"*", "https://app.example"}})(service.REST())
	mcp := service.MCP(&svc.MCPOptions{AllowedOrigins: []string{"*"}})
	const ask = "Access-Control-Request-Headers"
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		name    string
		handler http.Handler
		header  []string // names and values
		status  int
		echoes  string // a header that the response has
	}{
		{"CORS, the most", cors, []string{ask, long(1024)}, 204, "Access-Control-Allow-Headers"},
		{"CORS, a byte more", cors, []string{ask, long(1025)}, 403, ""},
		{"CORS, in parts", cors, []string{ask, long(512), ask, long(512)}, 403, ""},
		{"CORS, many", cors, []string{ask, strings.Repeat("a,", 3400)}, 403, ""},
		{"CORS, a long origin", cors, []string{"Origin", "https://" + long(1100)}, 403, ""},
		{"CORS, no origin", cors, []string{"Origin", "x" + long(100)}, 403, ""},
		{"MCP, the most", mcp, []string{ask, long(1024)}, 204, "Access-Control-Allow-Headers"},
		{"MCP, a byte more", mcp, []string{ask, long(1025)}, 403, ""},
		{"MCP, in parts", mcp, []string{ask, long(512), ask, long(512)}, 403, ""},
		{"MCP, an origin", mcp, []string{"Origin", "https://" + long(200)}, 204, "Access-Control-Allow-Origin"},
		{"MCP, a long origin", mcp, []string{"Origin", "https://" + long(1100)}, 403, ""},
		{"MCP, no origin", mcp, []string{"Origin", "x" + long(100)}, 403, ""},
		{"MCP, a path", mcp, []string{"Origin", "https://app.example/" + long(100)}, 403, ""},
		{"scopes, one", scoped(long(1020)), []string{"Authorization", "Bearer x"}, 403, "Www-Authenticate"},
		{"scopes, two", scoped(long(900), "y"+long(900)), []string{"Authorization", "Bearer x"}, 403, "Www-Authenticate"},
		{"any path", service.REST(), []string{}, 404, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("OPTIONS", "/"+long(5000)+"?"+long(5000), nil)
			r.Header.Set("Origin", "https://app.example")
			r.Header.Set("Access-Control-Request-Method", "POST")
			for i := 0; i < len(test.header); i += 2 {
				if i == 0 {
					r.Header.Del(test.header[i])
				}
				r.Header.Add(test.header[i], test.header[i+1])
			}
			w := httptest.NewRecorder()
			test.handler.ServeHTTP(w, r)
			if w.Code != test.status || test.echoes != "" && w.Header().Get(test.echoes) == "" {
				t.Errorf("%s: the status is %d, want %d with %q; the header %.300v", test.name, w.Code, test.status, test.echoes, w.Header())
			}
			if size := len(fmt.Sprint(w.Header())); size > 1024+600 {
				t.Errorf("%s: the header has %d bytes", test.name, size)
			}
		})
	}
}

// mcpManyAPI has what a client can make an MCP server compute.
type mcpManyAPI interface {
	GetFile(ctx context.Context, in *mcpManyIn) (*mcpShown, error)
	Ask(ctx context.Context) error
}

type mcpManyIn struct {
	ID    string   `json:"id"`
	Name  string   `json:"name,omitempty"`
	Shade mcpShade `json:"shade,omitempty"`
}

type mcpShade string

// Enum returns 250 values.
func (mcpShade) Enum() (all []mcpShade) {
	for i := range 250 {
		all = append(all, mcpShade(fmt.Sprint("shade ", i)))
	}
	return all
}

type mcpMany struct{ calls *int }

func (m mcpMany) GetFile(_ context.Context, in *mcpManyIn) (*mcpShown, error) {
	*m.calls++
	return &mcpShown{[]svc.MCPContent{{Text: in.Name}}}, nil
}

func (mcpMany) Ask(ctx context.Context) error { return svc.Confirm(ctx, "k", "?") }

// Verify that a large argument of a completion is read once, that a state costs nothing
// where no state can be ours, and that a parameter of a URI is checked as a name in it.
func TestMCPMemoryIsBounded(t *testing.T) {
	calls := 0
	s := svc.MustRegister[mcpManyAPI](mcpMany{&calls}, &svc.Options{Resource: "m", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"GetFile": {MCP: &svc.MCPMethod{URI: "files://f/{id}{?name,shade}"}}}})
	mcp := s.MCP(nil)
	large := strings.Repeat("x", 900<<10)
	for _, test := range []struct {
		name, text, want string
		most             uint64 // bytes
	}{
		{"long value to complete", mcpLegacy("", "completion/complete", `"ref":{"type":"ref/resource","uri":"files://f/{id}{?name,shade}"},"argument":{"name":"shade","value":"`+large+`"}`), `"values":[],"total":0`, 12 << 20},
		{"long state", mcpModern("tools/call", `"name":"m_ask","arguments":{},"requestState":"`+large+`"`), `-32602`, 8 << 20},
		{"many small values", mcpModern("tools/call", `"name":"m_ask","requestState":"x","arguments":{"a":[`+strings.Repeat("{},", 300<<10)+`0]}`), `-32602`, 24 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			mcpPost(mcp, test.text) // fills pools
			var m1, m2 runtime.MemStats
			runtime.ReadMemStats(&m1)
			got := mcpPost(mcp, test.text).Body.String()
			runtime.ReadMemStats(&m2)
			if used := m2.TotalAlloc - m1.TotalAlloc; used > test.most || !strings.Contains(got, test.want) {
				t.Errorf("%.300s…\n%d bytes, want at most %d; %.300s", test.text, used, test.most, got)
			}
		})
	}
	for _, name := range []string{"../../etc/passwd", "..%2f..%2fetc%2fpasswd", "a%00b", ".", `..\x`, "%2e%2e"} {
		got := mcpPost(mcp, mcpLegacy("", "resources/read", `"uri":"files://f/1?name=`+strings.ReplaceAll(name, `\`, `%5c`)+`"`)).Body.String()
		if calls > 0 || !strings.Contains(got, `"error"`) {
			t.Errorf("name=%s: %s", name, got)
		}
	}
	if got := mcpPost(mcp, mcpLegacy("", "resources/read", `"uri":"files://f/1?name=a.b..c"`)).Body.String(); calls != 1 {
		t.Errorf("a harmless name: %s", got)
	}
}

// Verify that the memory for a body whose length is announced does not double past it,
// and that one is read right whose length is not, or is wrong.
func TestBodyMemory(t *testing.T) {
	s := svc.MustRegister[SafeAPI](vaultOf{}, &svc.Options{Resource: "safe", MaxBody: 4 << 20, Logger: slog.New(slog.DiscardHandler)})
	h := s.REST()
	body := `{"key":"k"` + strings.Repeat(" ", 1<<20) + `}`
	for _, test := range []struct {
		length int64
		most   uint64 // bytes
	}{{int64(len(body)), 2*1<<20 + 256<<10}, {-1, 5 << 20}} {
		t.Run(rowName(test.length), func(t *testing.T) {
			var m1, m2 runtime.MemStats
			runtime.ReadMemStats(&m1)
			r := httptest.NewRequest("POST", "/safe/open", strings.NewReader(body))
			r.ContentLength = test.length
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			runtime.ReadMemStats(&m2)
			if used := m2.TotalAlloc - m1.TotalAlloc; w.Code != 200 || used > test.most {
				t.Errorf("length %d: %d, %d bytes, want at most %d", test.length, w.Code, used, test.most)
			}
		})
	}
}

// Verify that the MaxBody of a method is that of its route alone: of other requests nobody
// knows the method before the body has been read.
func TestMethodMaxBody(t *testing.T) {
	mcp := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	for _, test := range []struct {
		service, method int64
		size            int
		want            [3]int // of REST, JSON-RPC and MCP
	}{
		{0, 0, 500, [3]int{200, 200, 200}},
		{1000, 4000, 2000, [3]int{200, 413, 200}},
		{4000, 1000, 2000, [3]int{413, 200, 200}},
		{1000, -1, 2000, [3]int{200, 413, 200}},
		{1000, 0, 2000, [3]int{413, 413, 200}},
	} {
		t.Run(rowName(test.service, test.method, test.size), func(t *testing.T) {
			s := svc.MustRegister[SafeAPI](vaultOf{}, &svc.Options{Resource: "safe", MaxBody: test.service, Logger: slog.New(slog.DiscardHandler),
				Methods: map[string]svc.MethodOptions{"Open": {MaxBody: test.method}}})
			space := strings.Repeat(" ", test.size)
			got := [3]int{
				answerTo(s.REST(), "POST", "/safe/open", `{"key":"k"}`+space, mcp...).StatusCode,
				answerTo(s.RPC(), "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"safe.open","params":{"key":"k"}}`+space, mcp...).StatusCode,
				answerTo(s.MCP(nil), "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`+space, mcp...).StatusCode,
			}
			if got != test.want {
				t.Errorf("MaxBody %d, of the method %d, %d bytes: %v, want %v", test.service, test.method, test.size, got, test.want)
			}
		})
	}
}

type IdleAPI interface {
	List(ctx context.Context) error
}

type idle struct{}

func (idle) List(context.Context) error { return nil }

// Verify that a body which no field comes from is read to its end and not kept.
func TestBodyForNothing(t *testing.T) {
	h := svc.MustRegister[IdleAPI](idle{}, &svc.Options{Resource: "idle", MaxBody: -1}).REST()
	body := strings.NewReader(strings.Repeat("x", 4<<20))
	r := httptest.NewRequest("GET", "/idle", body)
	r.ContentLength = -1
	w := httptest.NewRecorder()
	var m1, m2 runtime.MemStats
	runtime.ReadMemStats(&m1)
	h.ServeHTTP(w, r)
	runtime.ReadMemStats(&m2)
	if used := m2.TotalAlloc - m1.TotalAlloc; w.Code != 400 || body.Len() > 0 || used > 1<<20 {
		t.Errorf("%d, %d bytes unread, %d bytes of memory", w.Code, body.Len(), used)
	}
}
