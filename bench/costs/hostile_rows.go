package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"

	"example.com/svc"
)

// A HostileAPI has a method for each way in which an input is read.
type HostileAPI interface {
	Take(context.Context, *Anything) error
	Keep(context.Context, *Anything) error // with a key
	Fill(context.Context, *Form) error     // a form
	Ask(context.Context, *Anything) error  // asks its caller
}

// Anything has members of many types.
type Anything struct {
	Items     []Defaults     `json:"items,omitempty"`
	Texts     []string       `json:"texts,omitempty"`
	Numbers   []json.Number  `json:"numbers,omitempty"`
	Floats    []float64      `json:"floats,omitempty"`
	Integers  []int          `json:"integers,omitempty"`
	Map       map[string]int `json:"map,omitempty"`
	Addresses []netip.Addr   `json:"addresses,omitempty"`
	Secrets   []Secret       `json:"secrets,omitempty"`
	Any       any            `json:"any,omitempty"`
}

// Defaults has four members that allocate when they are left out.
type Defaults struct {
	Words []string       `json:"words" default:"[\"a\"]"`
	Map   map[string]int `json:"map" default:"{\"a\":1}"`
	One   *int           `json:"one" default:"1"`
	Pairs []int          `json:"pairs" default:"[1,2]"`
}

// A Secret hides itself in logs.
type Secret string

func (s *Secret) UnmarshalText(text []byte) error { *s = Secret(text); return nil }
func (s Secret) MarshalText() ([]byte, error)     { return []byte("hidden"), nil }

// Form is a form.
type Form struct {
	Tags []string `json:"tags,omitempty"`
	Text string   `json:"text,omitempty"`
}

type hostileThings struct{}

func (hostileThings) Take(context.Context, *Anything) error { return nil }
func (hostileThings) Keep(context.Context, *Anything) error { return nil }
func (hostileThings) Fill(context.Context, *Form) error     { return nil }
func (hostileThings) Ask(ctx context.Context, _ *Anything) error {
	return svc.Confirm(ctx, "sure", "Are you sure?")
}

// takeByHand reads an Anything.
func takeByHand(w http.ResponseWriter, r *http.Request) { readAnything(w, readBody(w, r)) }

func readAnything(w http.ResponseWriter, text []byte) (in Anything) {
	if err := json.Unmarshal(text, &in); err != nil {
		http.Error(w, "the body is not acceptable", http.StatusBadRequest)
		return in
	}
	for i := range in.Items {
		item := &in.Items[i]
		if item.Words == nil {
			item.Words = []string{"a"}
		}
		if item.Map == nil {
			item.Map = map[string]int{"a": 1}
		}
		if item.One == nil {
			item.One = new(int)
			*item.One = 1
		}
		if item.Pairs == nil {
			item.Pairs = []int{1, 2}
		}
	}
	return in
}

// keepByHand compares inputs with one key by what they mean, as a tree of encoding/json.
func keepByHand(w http.ResponseWriter, r *http.Request) {
	text := readBody(w, r)
	readAnything(w, text)
	var tree any
	json.Unmarshal(text, &tree)
	print, _ := json.Marshal(tree)
	mac := hmac.New(sha256.New, []byte(r.Header.Get("Idempotency-Key")))
	mac.Write(print)
	w.Header().Set("X-Print", base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
}

// batchByHand answers a batch of JSON-RPC.
func batchByHand(w http.ResponseWriter, r *http.Request) {
	var batch []struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(readBody(w, r), &batch) != nil {
		http.Error(w, "the body is not acceptable", http.StatusBadRequest)
		return
	}
	type answer struct {
		Version string          `json:"jsonrpc"`
		Result  any             `json:"result"`
		ID      json.RawMessage `json:"id"`
	}
	answers := make([]answer, 0, len(batch))
	for _, call := range batch {
		readAnything(w, call.Params)
		answers = append(answers, answer{"2.0", nil, call.ID})
	}
	json.NewEncoder(w).Encode(answers)
}

// stateByHand answers a call with a state, which has an HMAC of the arguments as they were.
func stateByHand(w http.ResponseWriter, r *http.Request) {
	var message struct {
		Params struct {
			Arguments json.RawMessage `json:"arguments"`
			State     string          `json:"requestState"`
		} `json:"params"`
	}
	if json.Unmarshal(readBody(w, r), &message) != nil {
		http.Error(w, "the body is not acceptable", http.StatusBadRequest)
		return
	}
	mac := hmac.New(sha256.New, []byte("a key of the handler by hand"))
	mac.Write(message.Params.Arguments)
	readAnything(w, message.Params.Arguments)
	if !hmac.Equal(mac.Sum(nil), []byte(message.Params.State)) {
		http.Error(w, "the state is not for this call", http.StatusBadRequest)
	}
}

func formByHand(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, size)
	if r.ParseMultipartForm(size) != nil && r.Form == nil {
		http.Error(w, "the form is not acceptable", http.StatusBadRequest)
	}
}

// typeByHand looks at the media types first.
func typeByHand(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the body is not JSON", http.StatusUnsupportedMediaType)
		return
	}
	takeByHand(w, r)
}

// acceptByHand reads each media type of Accept.
func acceptByHand(w http.ResponseWriter, r *http.Request) {
	for item := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		if kind, _, err := mime.ParseMediaType(item); err == nil && kind == "application/json" {
			w.Header().Set("Content-Type", kind)
		}
	}
	takeByHand(w, r)
}

// pairsByHand reads a form as net/url does, which takes 10,000 fields since Go 1.26.
func pairsByHand(w http.ResponseWriter, r *http.Request) {
	form := make(url.Values)
	for pair := range strings.SplitSeq(string(readBody(w, r)), "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err != nil {
			http.Error(w, "the form is not acceptable", http.StatusBadRequest)
			return
		}
		form.Add(name, value)
	}
}

// hostileService returns all handlers of one service.
func hostileService() (http.Handler, error) {
	run := func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		return do(ctx)
	}
	s, err := svc.Register[HostileAPI](hostileThings{}, &svc.Options{
		Resource: "things", Logger: slog.New(slog.DiscardHandler), Idempotency: &svc.Idempotency{Run: run},
		Methods: map[string]svc.MethodOptions{
			"Take": {HTTP: "POST /take"}, "Keep": {HTTP: "POST /keep", IdempotencyKey: svc.KeyRequired},
			"Fill": {HTTP: "POST /fill", Form: true}, "Ask": {HTTP: "POST /ask"},
		},
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.REST())
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(&svc.MCPOptions{StateKey: svc.NewCursorKey([]byte("a key for the states of costs"))}))
	return mux, nil
}

// fill repeats parts until they are about a body of 1 MiB, between begin and end. A %d in the part
// is its number.
func fill(begin, part, end string) string {
	var text strings.Builder
	text.WriteString(begin)
	for i := 0; text.Len()+len(part)+len(end)+10 < size; i++ {
		if i > 0 {
			text.WriteByte(',')
		}
		if strings.Contains(part, "%d") {
			fmt.Fprintf(&text, part, i)
		} else {
			text.WriteString(part)
		}
	}
	return text.String() + end
}

// hostileRows returns the handler of svc and the requests.
func hostileRows() (http.Handler, []hostile, error) {
	h, err := hostileService()
	if err != nil {
		return nil, nil, err
	}
	var rows []hostile
	add := func(name, path, body string, status int, byHand http.HandlerFunc, header ...string) {
		rows = append(rows, hostile{name, path, header, body, status, byHand})
	}
	deep := strings.Repeat("[", 900) + strings.Repeat("]", 900)
	deepObjects := strings.Repeat(`{"a":`, 900) + "1" + strings.Repeat("}", 900)
	long := strings.Repeat("a", 130)
	bodies := []struct {
		name, body string
		status     int // without a key
	}{
		{"empty objects in any", fill(`{"any":[`, `{}`, `]}`), 204},
		{"deep lists", fill(`{"any":[`, deep, `]}`), 204},
		{"deep objects", fill(`{"any":[`, deepObjects, `]}`), 204},
		{"an object of many members", fill(`{"any":{`, `"a%d":1`, `}}`), 204},
		{"unknown names", fill(`{`, `"a%d":1`, `}`), 204},
		{"a map", fill(`{"map":{`, `"a%d":1`, `}}`), 204},
		{"texts with escapes", fill(`{"texts":[`, `"\u0061\n\"\ud83d\ude00"`, `]}`), 204},
		{"a long text with escapes", `{"texts":["` + strings.Repeat(`\u0061`, size/7) + `"]}`, 204},
		{"empty texts", fill(`{"texts":[`, `""`, `]}`), 204},
		{"texts of 130 bytes", fill(`{"texts":[`, `"`+long+`"`, `]}`), 204},
		{"digits", `{"numbers":[` + strings.Repeat("7", size-100) + `]}`, 204},
		{"digits of a float", `{"floats":[0.` + strings.Repeat("7", size-100) + `]}`, 204},
		{"numbers such as 100.50e3", fill(`{"numbers":[`, `100.50e3`, `]}`), 204},
		{"floats", fill(`{"floats":[`, `1.5`, `]}`), 204},
		{"wrong integers", fill(`{"integers":[`, `"a"`, `]}`), 400},
		{"addresses", fill(`{"addresses":[`, `"::1"`, `]}`), 204},
		{"addresses that are none", fill(`{"addresses":[`, `"x"`, `]}`), 400},
		{"hidden texts", fill(`{"secrets":[`, `"s"`, `]}`), 204},
	}
	add("{}, with four defaults", "/take", fill(`{"items":[`, `{}`, `]}`), 400, takeByHand)
	add("as many {}, as are accepted", "/take", `{"items":[`+strings.Repeat("{},", 55_000)+`{}]}`, 204, takeByHand)
	for _, b := range bodies {
		add(b.name, "/take", b.body, b.status, takeByHand)
	}
	for _, b := range bodies {
		add("with a key: "+b.name, "/keep", b.body, b.status, keepByHand, "Idempotency-Key", "k")
	}
	call := `{"jsonrpc":"2.0","id":%d,"method":"things.take","params":{}}`
	batch := make([]string, 1000)
	for i := range batch {
		batch[i] = fmt.Sprintf(call, i)
	}
	add("a batch of 1000 calls", "/rpc", "["+strings.Join(batch, ",")+"]", 200, batchByHand)
	add("a batch of 1000 unknown methods", "/rpc", strings.ReplaceAll("["+strings.Join(batch, ",")+"]", "things.take", "thing.takes"),
		200, batchByHand)
	add("a batch of 350,000 zeros", "/rpc", fill("[", "0", "]"), 200, batchByHand)
	addForms(add)
	parts := strings.Repeat(`;a*0=b;a*1="c"`, 7_000)
	add("Content-Type of 100 KB", "/take", `{}`, 415, typeByHand, "Content-Type", "application/json"+parts)
	add("Accept of 100 KB", "/take", `{}`, 204, typeByHand, "Accept", strings.Repeat("a/b;q=0.5,", 10_000))
	add("Accept of MCP of 100 KB", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, acceptByHand,
		"Accept", strings.Repeat("a/b;q=0.5,", 10_000)+"application/json")
	return h, rows, addStates(h, add)
}

// An adder adds a hostile request.
type adder = func(name, path, body string, status int, byHand http.HandlerFunc, header ...string)

// addForms adds forms of a thousand parts, and of parts with many headers.
func addForms(add adder) {
	const urlencoded, multipart = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	part := func(name, header, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n" + header + "\r\n" + value + "\r\n"
	}
	add("a form of 9,990 fields", "/fill", strings.Repeat("tags=a&", 9_990), 204, formByHand, "Content-Type", urlencoded)
	add("a form of 150,000 fields", "/fill", strings.Repeat("tags=a&", size/7-1), 204, pairsByHand, "Content-Type", urlencoded)
	add("a form of escapes", "/fill", "text="+strings.Repeat("%41", size/3-10), 204, formByHand, "Content-Type", urlencoded)
	add("a form of 990 parts", "/fill", strings.Repeat(part("tags", "", "a"), 990)+"--b--\r\n", 204, formByHand, "Content-Type", multipart)
	add("a form of 15,000 parts", "/fill", strings.Repeat(part("tags", "", "a"), 15_000)+"--b--\r\n", 413, formByHand,
		"Content-Type", multipart)
	add("a part of many headers", "/fill", part("tags", strings.Repeat("A: b\r\n", 9_000), "a")+"--b--\r\n", 204, formByHand,
		"Content-Type", multipart)
	pieces := "--b\r\nContent-Disposition: form-data; name=tags" + strings.Repeat(";a*0=b;a*1=c", 50) + "\r\n\r\na\r\n"
	add("parts with a name in pieces", "/fill", strings.Repeat(pieces, 990)+"--b--\r\n", 204, formByHand, "Content-Type", multipart)
	pieces = "text"
	for i := range 60_000 {
		pieces += fmt.Sprintf(";a*%d=b", i)
	}
	add("a name in pieces", "/fill", "--b\r\nContent-Disposition: form-data; name="+pieces+"\r\n\r\na\r\n--b--\r\n", 204, formByHand,
		"Content-Type", multipart)
}

// addStates adds calls of MCP with a state that nobody has sealed, and with one of another call.
func addStates(h http.Handler, add adder) error {
	header := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "things_ask",
		"Accept", "application/json"}
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	call := func(arguments, more string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"things_ask","arguments":` + arguments + more +
			`,"_meta":` + meta + `}}`
	}
	first := hostile{path: "/mcp", header: header, body: call(`{}`, "")}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, first.request())
	var asked struct {
		Result struct {
			State string `json:"requestState"`
		} `json:"result"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &asked); err != nil || asked.Result.State == "" {
		return fmt.Errorf("a method that asks: %v, %d %s", err, w.Code, w.Body)
	}
	arguments := fill(`{"any":[`, `{}`, `]}`)
	arguments = arguments[:len(arguments)-len(`,{}`)*400-len(`]}`)] + `]}` // leaves room for the rest
	add("arguments without a state", "/mcp", call(arguments, ""), 200, stateByHand, header...)
	state := asked.Result.State
	add("a state of nobody", "/mcp", call(arguments, `,"requestState":"bm9ib2R5`+state+`"`), 400, stateByHand, header...)
	add("a state of another call", "/mcp", call(arguments, `,"requestState":"`+state+`"`), 400, stateByHand, header...)
	return nil
}
