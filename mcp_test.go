package svc

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// SSE items that bring content of their own are still items.
type contentItem struct {
	N int `json:"n"`
}

func (*contentItem) MCPContent() []MCPContent { return nil }

type contentAPI interface {
	One(context.Context) (*contentItem, error)
}

type contentImpl struct{}

func (contentImpl) One(context.Context) (*contentItem, error) { return &contentItem{3}, nil }

// A stream is one result over MCP too. Each item is progress, where the client
// asks for it and the method does not report its own.
func TestMCPItems(t *testing.T) {
	impl := &tickImpl{
		run: func(ctx context.Context, in *tickIn) (Stream[tickItem], error) {
			stream, err := ticks("")(ctx, in)
			return func(yield func(*tickItem, error) bool) {
				if in.After == 6 {
					Progress(ctx, 10, 20, "on its way")
				}
				stream(yield)
				switch in.After {
				case 7:
					yield(nil, Errorf(CodeNotFound, "no more"))
				case 8:
					panic("oh")
				}
			}, err
		},
		one: func(context.Context, *tickIn) (*tickItem, error) { return &tickItem{N: 5}, nil },
	}
	tick := tickService(t, impl, true, quiet).MCP(nil)
	content := MustRegister[contentAPI](contentImpl{},
		&Options{Resource: "ticks", Logger: quiet, Methods: map[string]MethodOptions{"One": {Stream: StreamSSE}}}).MCP(nil)
	result := func(json string) string {
		return `{"jsonrpc":"2.0","result":{"structuredContent":` + json + `,"content":[{"type":"text","text":` +
			string(appendQuoted(nil, json)) + `}],"isError":false},"id":1}`
	}
	failure := func(text string) string {
		return `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"` + text + `"}],"isError":true},"id":1}`
	}
	progress := func(text string) string {
		return "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t",` + text + `}}` + "\n\n"
	}
	last := func(json string) string { return "event: message\ndata: " + json + "\n\n" }
	tooMany := "RESOURCE_EXHAUSTED: the stream has more than 1000 items, which is as many as fit into one answer"
	for _, test := range []struct{ name, params, want string }{
		{"items", `"name":"ticks_run","arguments":{"count":2}`, result(`{"items":[{"n":1},{"n":2}]}`)},
		{"no items", `"name":"ticks_all"`, result(`{"items":[]}`)},
		{"one record", `"name":"ticks_one"`, result(`{"items":[{"n":5}]}`)},
		{"error", `"name":"ticks_run","arguments":{"count":1,"after":7}`, failure("NOT_FOUND: no more")},
		{"too many", `"name":"ticks_run","arguments":{"count":1001}`, failure(tooMany)},
		{"panic", `"name":"ticks_run","arguments":{"count":1,"after":8}`, failure("INTERNAL: internal error")},
		{"progress", `"name":"ticks_run","arguments":{"count":2},"_meta":{"progressToken":"t"}`,
			":\n\n" + progress(`"progress":1`) + progress(`"progress":2`) + last(result(`{"items":[{"n":1},{"n":2}]}`))},
		{"its own progress", `"name":"ticks_run","arguments":{"count":2,"after":6},"_meta":{"progressToken":"t"}`,
			":\n\n" + progress(`"progress":10,"total":20,"message":"on its way"`) + last(result(`{"items":[{"n":7},{"n":8}]}`))},
		{"progress, then an error", `"name":"ticks_run","arguments":{"count":1,"after":7},"_meta":{"progressToken":"t"}`,
			":\n\n" + progress(`"progress":1`) + last(failure("NOT_FOUND: no more"))},
		{"content", `"name":"ticks_one"`, result(`{"items":[{"n":3}]}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := tick
			if test.name == "content" {
				h = content
			}
			r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+test.params+`}}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("MCP-Protocol-Version", "2025-11-25")
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); strings.TrimRight(w.Body.String(), "\n") != strings.TrimRight(test.want, "\n") {
				t.Errorf("%s:\n got %s\nwant %s", test.name, w.Body, test.want)
			}
		})
	}
}

func TestMCPItemsSchema(t *testing.T) {
	tools := fmt.Sprintf("%s", tickService(t, &tickImpl{}, false, quiet).MCP(nil).(*mcpHandler).lists["tools/list"].texts)
	want := `"outputSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string"}},"required":["n"]}}},"required":["items"]}`
	if strings.Count(tools, want) != 3 {
		t.Errorf("the tools lack %s three times\n%s", want, tools)
	}
}

// Verify that the quick way to quote a JSON text gives what the plain way does.
func TestAppendQuotedJSON(t *testing.T) {
	for n := range 40 {
		for _, special := range []string{`"`, `\\`, `\"`, `""`, "é"} {
			for i := range n {
				text := strings.Repeat("a", i) + special + strings.Repeat("b", n-i)
				got, want := appendQuotedJSON([]byte("x"), []byte(text)), appendQuoted([]byte("x"), text)
				if string(got) != string(want) {
					t.Errorf("%s: got %s, want %s", text, got, want)
				}
			}
		}
	}
}

// Verify that the parts of a message are found whatever stands between them.
func TestEachMember(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{}`, ``},
		{" { }"[1:], ``},
		{`{"a":1}`, `a=1;`},
		{"{ \"a\" :\t1 ,\n\"b\":[ {\"}\":\"]\"} , 2 ],\r\"c\" : null }", `a=1;b=[ {"}":"]"} , 2 ];c=null;`},
		{`{"\u0061\"":"x\\\"y","b":-1.5e3,"c":{"d":{}},"e":true}`, `a"="x\\\"y";b=-1.5e3;c={"d":{}};e=true;`},
	} {
		t.Run(test.text, func(t *testing.T) {
			var got strings.Builder
			for name, value := range eachMember([]byte(test.text)) {
				fmt.Fprintf(&got, "%s=%s;", name, value)
			}
			if got.String() != test.want {
				t.Errorf("%s: got %s, want %s", test.text, got.String(), test.want)
			}
		})
	}
}

// A flushSignal closes flushed at the first flush of a response.
type flushSignal struct {
	*httptest.ResponseRecorder
	once    sync.Once
	flushed chan struct{}
}

func (w *flushSignal) Flush() {
	w.ResponseRecorder.Flush()
	w.once.Do(func() { close(w.flushed) })
}

type quietAPI interface {
	Run(context.Context, *tickIn) (*tickItem, error)
}

type quietImpl func(context.Context, *tickIn) (*tickItem, error)

func (f quietImpl) Run(ctx context.Context, in *tickIn) (*tickItem, error) { return f(ctx, in) }

// Verify that a call that sends nothing for a heartbeat is answered by events where
// the client accepts them, and that what its method adds to the header meanwhile
// meets nothing that is written at the same time.
func TestMCPQuiet(t *testing.T) {
	const params = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ticks_run","arguments":{"count":1}}}`
	for _, test := range []struct {
		name, accept string
		answer       string
		begins       bool
	}{
		{"events", "application/json, text/event-stream", `"n":3`, true},
		{"an error", "application/json, text/event-stream", "NOT_FOUND", true},
		{"events alone", "text/event-stream", `"n":3`, true},
		{"JSON", "application/json", `"n":3`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &flushSignal{ResponseRecorder: httptest.NewRecorder(), flushed: make(chan struct{})}
			w.Header().Set("X-Before", "1")
			s := MustRegister[quietAPI](quietImpl(func(ctx context.Context, _ *tickIn) (*tickItem, error) {
				info, _ := InfoFrom(ctx)
				for i := 0; ; i++ {
					info.Header.Set("X-Method", "1")
					select {
					case <-w.flushed:
					default:
						if test.begins || i < 100 {
							continue
						}
					}
					break
				}
				if test.name == "an error" {
					return nil, Errorf(CodeNotFound, "none")
				}
				return &tickItem{N: 3}, nil
			}), &Options{Resource: "ticks", Logger: quiet})
			h := s.MCP(nil).(*mcpHandler)
			config := *h.config
			config.eventTimes.heartbeat = time.Millisecond
			h.config = &config
			r := httptest.NewRequest("POST", "/mcp", strings.NewReader(params))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", test.accept)
			h.ServeHTTP(w, r)
			body, head := w.Body.String(), w.Result().Header
			if events := head.Get("Content-Type") == contentTypeEvents; events != test.begins || !strings.Contains(body, test.answer) ||
				head.Get("X-Before") != "1" {
				t.Errorf("%s: %v\n%s", test.name, head, body)
			}
			if test.begins && (!strings.HasPrefix(body, comment) || strings.Count(body, "data: ") != 1 || !strings.HasSuffix(body, "\n\n")) {
				t.Errorf("%s: the stream is %q", test.name, body)
			}
			if head.Get("X-Method") != "" {
				t.Errorf("%s: the header of the method is sent: %v", test.name, head)
			}
		})
	}
}

// Verify the same on a connection whose write timeout passes before the stream begins
// or after it: the client gets the header while the method runs, and then the answer.
func TestMCPQuietConnection(t *testing.T) {
	t.Parallel()
	const timeout = 800 * time.Millisecond // as a busy machine may need to begin a call
	var all sync.WaitGroup                 // most of the time they wait, so they do it together
	defer all.Wait()
	for _, http2 := range []bool{false, true} {
		for _, heartbeat := range []time.Duration{time.Millisecond, 2 * timeout} {
			all.Add(1)
			go func() {
				defer all.Done()
				body, err := quietAnswer(timeout, http2, heartbeat)
				if err != nil || !strings.HasPrefix(body, comment) || !strings.Contains(body, `"structuredContent":{"n":3}`) {
					t.Errorf("HTTP/2 %t, heartbeat %v: %v\n%s", http2, heartbeat, err, body)
				}
			}()
		}
	}
}

// quietAnswer returns the answer to a call that says nothing for longer than the write
// timeout of the server.
func quietAnswer(timeout time.Duration, http2 bool, heartbeat time.Duration) (string, error) {
	release := make(chan struct{})
	s := MustRegister[quietAPI](quietImpl(func(ctx context.Context, _ *tickIn) (*tickItem, error) {
		time.Sleep(timeout + timeout/3)
		<-release
		return &tickItem{N: 3}, ctx.Err()
	}), &Options{Resource: "ticks", Logger: quiet})
	h := s.MCP(nil).(*mcpHandler)
	config := *h.config
	config.eventTimes.heartbeat = heartbeat
	h.config = &config
	server := httptest.NewUnstartedServer(h)
	server.Config.WriteTimeout = timeout
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetUnencryptedHTTP2(http2) // the timeout would cover a TLS handshake too
	server.Config.Protocols = protocols
	server.Start()
	defer server.Close()
	server.Client().Transport.(*http.Transport).Protocols = protocols
	w, err := server.Client().Post(server.URL, contentTypeJSON, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ticks_run","arguments":{"count":1}}}`))
	close(release)
	if err != nil {
		return "", err
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if w.ProtoMajor == 2 != http2 {
		err = fmt.Errorf("the answer is by %s", w.Proto)
	}
	return string(body), err
}

// Verify that a timer that begins a stream serves no other call.
func TestQuietTimer(t *testing.T) {
	for _, heartbeat := range []time.Duration{time.Nanosecond, time.Hour} {
		t.Run(heartbeat.String(), func(t *testing.T) {
			h := &mcpHandler{endpoint: endpoint{config: &config{eventTimes: eventTimes{heartbeat: heartbeat, write: time.Hour}}}}
			h.messages.New = func() any { return newMessage() }
			w := &flushSignal{ResponseRecorder: httptest.NewRecorder(), flushed: make(chan struct{})}
			x := newExchange(context.Background(), mcpRequest{h: h, agreed: new(agreement), w: w}, nil, new(workspace))
			x.message = newMessage()
			quiet := &x.message.quiet
			x.stream.startCall(x.target(), notices{}, quiet)
			if heartbeat < time.Hour {
				<-w.flushed
			}
			x.stream.stopCall()
			if begun := (x.stream.events != nil); begun != (heartbeat < time.Hour) || begun != quiet.fired {
				t.Errorf("begun %t, fired %t", begun, quiet.fired)
			}
			m := x.message
			x.returnMessage()
			if again := quiet.stream == nil; again == quiet.fired || quiet.fired && h.messages.Get() == any(m) {
				t.Errorf("fired %t, used again %t", quiet.fired, again)
			}
			if x.stream.events != nil {
				x.stream.events.close()
			}
		})
	}
}

// Verify that what a method does to the header of its Info is not sent, and that what
// middleware has set stays: a goroutine that begins a stream by a report must not read a
// header that the method is changing.
func TestMCPHeader(t *testing.T) {
	for _, report := range []bool{false, true} {
		w := &flushSignal{ResponseRecorder: httptest.NewRecorder(), flushed: make(chan struct{})}
		s := MustRegister[quietAPI](quietImpl(func(ctx context.Context, _ *tickIn) (*tickItem, error) {
			info, _ := InfoFrom(ctx)
			info.Header.Add("Link", "b")
			info.Header.Del("X-Drop")
			if report {
				go Progress(ctx, 1, 2, "")
			}
			for i := 0; report; i++ {
				select {
				case <-w.flushed:
					report = false
				default:
					info.Header.Set("X-Turn", fmt.Sprint(i))
				}
			}
			return &tickItem{}, nil
		}), &Options{Resource: "ticks", Logger: quiet})
		const want = "map[Link:[a] X-Drop:[a]]"
		w.Header().Set("Link", "a")
		w.Header().Set("X-Drop", "a")
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ticks_run","arguments":{"count":1},"_meta":{"progressToken":1}}}`))
		r.Header.Set("Content-Type", "application/json")
		s.MCP(nil).ServeHTTP(w, r)
		got := w.Result().Header
		maps.DeleteFunc(got, func(name string, _ []string) bool { return name != "Link" && name != "X-Drop" && name != "X-Turn" })
		if fmt.Sprint(got) != want {
			t.Errorf("the header is %v, want %s", got, want)
		}
	}
}

// Verify that a state opens for its call until it expires, and not a second later.
func TestMCPStateExpires(t *testing.T) {
	now := time.Unix(1e9, 0)
	h := &mcpHandler{options: MCPOptions{StateKey: NewCursorKey([]byte("a new key, used from now on"), []byte("a key from before that"))}, now: func() time.Time { return now }}
	digest := strings.Repeat("d", 43)
	state := h.sealState(digest, []byte(`{"a":{}}`))
	old := &mcpHandler{options: MCPOptions{StateKey: NewCursorKey([]byte("a key from before that"))}, now: h.now}
	if call, got := h.openState(old.sealState(digest, []byte(`{}`))); string(got) != `{}` || call != digest {
		t.Errorf("with the key from before: %q %q", call, got)
	}
	for _, test := range []struct {
		later time.Duration
		opens bool
	}{{0, true}, {stateLife, true}, {stateLife + time.Second, false}, {-time.Hour, true}} {
		now = time.Unix(1e9, 0).Add(test.later)
		if _, got := h.openState(state); (got != nil) != test.opens {
			t.Errorf("after %v: %q", test.later, got)
		}
	}
}

// Verify that a goroutine that a method leaves behind has a header of its own, which
// nothing else reads.
func TestMCPHeaderLate(t *testing.T) {
	late := make(chan context.Context, 1)
	s := MustRegister[quietAPI](quietImpl(func(ctx context.Context, _ *tickIn) (*tickItem, error) {
		late <- ctx
		return &tickItem{}, nil
	}), &Options{Resource: "ticks", Logger: quiet})
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ticks_run","arguments":{"count":1}}}`))
	r.Header.Set("Content-Type", "application/json")
	s.MCP(nil).ServeHTTP(w, r)
	info, ok := InfoFrom(<-late)
	if !ok || info.Header == nil || info.Method != "run" {
		t.Fatalf("%t, %+v", ok, info)
	}
	if info.Header.Set("X-Late", "1"); w.Header().Get("X-Late") != "" || len(info.Header) != 1 {
		t.Errorf("the method writes to %v, the response has %v", info.Header, w.Header())
	}
}

// Verify that a state goes on with nothing but the call it was sealed for: each part of
// a call changes the digest, and the spelling of its arguments does not.
func TestMCPCallDigest(t *testing.T) {
	digest := func(text string) string {
		x := &exchange{call: call{Context: context.Background()}, mcpRequest: &mcpRequest{h: &mcpHandler{newest: newestRevision}}}
		m := message{rpcMessage: &rpcMessage{method: []byte(textAt([]byte(text), "method")), params: memberAt([]byte(text), "params")}}
		x.message = &m
		x.parseParams()
		return x.callDigest()
	}
	const call = `{"method":"tools/call","params":{"name":"a","uri":"u:a","arguments":{"b":[1,{"c":"d"}],"e":1.50}}}`
	for _, test := range []struct {
		text string
		same bool
	}{
		{`{ "params" : {"arguments":{"e":1.50,"b":[ 1 , {"\u0063":"\u0064"} ]}, "name":"\u0061", "uri":"u:\u0061"},"method":"tools/call"}`, true},
		{strings.Replace(call, "tools/call", "prompts/get", 1), false},
		{strings.Replace(call, `"a"`, `"A"`, 1), false},
		{strings.Replace(call, `u:a`, `u:b`, 1), false},
		{strings.Replace(call, `"d"`, `"D"`, 1), false},
		{strings.Replace(call, `"c"`, `"C"`, 1), false},
		{strings.Replace(call, `[1,{"c":"d"}]`, `[{"c":"d"},1]`, 1), false},
		{strings.Replace(call, `1.50`, `1.5`, 1), true},
		{strings.Replace(call, `1.50`, `1.51`, 1), false},
		{strings.Replace(call, `1.50`, `"1.50"`, 1), false},
		{strings.Replace(call, `,"arguments":{"b":[1,{"c":"d"}],"e":1.50}`, ``, 1), false},
	} {
		t.Run(test.text, func(t *testing.T) {
			if same := digest(test.text) == digest(call); same != test.same {
				t.Errorf("%s: the same digest %t", test.text, same)
			}
		})
	}
}

// FuzzMCPState opens any text as a state: none but those that were sealed opens, and
// what opens is the object that was sealed.
func FuzzMCPState(f *testing.F) {
	h := &mcpHandler{options: MCPOptions{StateKey: NewCursorKey([]byte("a key for the fuzzer"))}, now: func() time.Time { return time.Unix(1e9, 0) }}
	digest := strings.Repeat("d", 43)
	object := `{"a":{"action":"accept"}}`
	state := h.sealState(digest, []byte(object))
	f.Add(state)
	f.Add(state[:len(state)-1])
	f.Add("")
	cursor, _ := h.options.StateKey.Encode("x")
	f.Add(cursor)
	f.Fuzz(func(t *testing.T, text string) {
		switch call, got := h.openState(text); {
		case got == nil && text == state:
			t.Error("the state does not open")
		case got != nil && (text != state || call != digest || string(got) != object):
			t.Errorf("%q opens for %q as %q", text, call, got)
		}
	})
}

var _ http.Flusher = (*flushSignal)(nil)
