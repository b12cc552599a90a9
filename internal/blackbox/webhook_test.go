package blackbox_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests SignWebhook, VerifyWebhook and PublicOnly. interop/webhooks tests the first two
// against the packages of Standard Webhooks for JavaScript and Python.

const (
	hookSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // of the README of Standard Webhooks
	otherSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
)

// signedBy returns the signature of a webhook by the standard library alone.
func signedBy(secret, id, timestamp, body string) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, id+"."+timestamp+"."+body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Verify that the oracle of these tests signs as the packages of Standard Webhooks do.
func TestWebhookVector(t *testing.T) {
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := signedBy(hookSecret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", `{"test": 2432232314}`); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func newHook(t *testing.T, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest("POST", "/hooks", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSignWebhook(t *testing.T) {
	const body = `{"type":"note.created"}`
	r := newHook(t, body)
	r.Header.Set("Webhook-Signature", "v1,old") // of the attempt before
	before := time.Now().Unix()
	if err := svc.SignWebhook(r, "evt_7-A", hookSecret, otherSecret); err != nil {
		t.Fatal(err)
	}
	h := r.Header
	at, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || at < before || at > time.Now().Unix() || h.Get("webhook-id") != "evt_7-A" {
		t.Errorf("id %s, timestamp %s", h.Get("webhook-id"), h.Get("webhook-timestamp"))
	}
	timestamp := h.Get("webhook-timestamp")
	want := signedBy(hookSecret, "evt_7-A", timestamp, body) + " " + signedBy(otherSecret, "evt_7-A", timestamp, body)
	if got := h.Values("webhook-signature"); len(got) != 1 || got[0] != want {
		t.Errorf("signatures %q, want %q", got, want)
	}
	if sent, err := io.ReadAll(r.Body); string(sent) != body || err != nil {
		t.Errorf("the body that is left to send is %q, %v", sent, err)
	}
	bare := &http.Request{Method: "POST"} // without a header and a body
	if err := svc.SignWebhook(bare, "e", hookSecret); err != nil || bare.Header.Get("Webhook-Signature") != signedBy(hookSecret, "e", bare.Header.Get("Webhook-Timestamp"), "") {
		t.Errorf("a request without a body: %v, %v", err, bare.Header)
	}
}

func TestSignWebhookMistakes(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, test := range []struct {
		name    string
		change  func(r *http.Request)
		id      string
		secrets []string
		want    string
	}{
		{"no secret", nil, "e", nil, "there is no secret"},
		{"an empty secret", nil, "e", []string{hookSecret, ""}, "secret 2 must be whsec_ and the base64 of 24 to 64 random bytes"},
		{"a secret without its prefix", nil, "e", []string{hookSecret[6:]}, "secret 1 must be"},
		{"23 bytes", nil, "e", []string{"whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 23))}, "secret 1 must be"},
		{"65 bytes", nil, "e", []string{"whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))}, "secret 1 must be"},
		{"64 bytes", nil, "e", []string{"whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 64))}, ""},
		{"base64 of URLs", nil, "e", []string{"whsec_" + strings.Repeat("-_-_", 8)}, "secret 1 must be"},
		{"no id", nil, "", []string{hookSecret}, `the id "" must have 1 to 255 characters`},
		{"a point in the id", nil, "a.b", []string{hookSecret}, `the id "a.b" must have`},
		{"a line in the id", nil, "a\nb", []string{hookSecret}, `the id "a\nb" must have`},
		{"255 characters", nil, strings.Repeat("a", 255), []string{hookSecret}, ""},
		{"256 characters", nil, strings.Repeat("a", 256), []string{hookSecret}, "must have 1 to 255"},
		{"a GET", func(r *http.Request) { r.Method = "GET" }, "e", []string{hookSecret}, "the request is a GET; a webhook is a POST"},
		{"a body that is read once", func(r *http.Request) { r.GetBody = nil }, "e", []string{hookSecret}, "the body cannot be read twice"},
		{"GetBody fails", func(r *http.Request) { r.GetBody = func() (io.ReadCloser, error) { return nil, broken } }, "e", []string{hookSecret}, broken.Error()},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newHook(t, "{}")
			if test.change != nil {
				test.change(r)
			}
			err := svc.SignWebhook(r, test.id, test.secrets...)
			if got := fmt.Sprint(err); test.want == "" && err != nil || test.want != "" && !strings.Contains(got, "svc: SignWebhook: ") || !strings.Contains(got, test.want) && err != nil {
				t.Errorf("%s, want %s", got, test.want)
			}
			if err != nil && (len(r.Header) > 0 || strings.Contains(err.Error(), hookSecret[8:])) {
				t.Errorf("after an error: %v, %v", r.Header, err)
			}
		})
	}
}

func TestVerifyWebhook(t *testing.T) {
	const body = `{"type":"note.created"}`
	now := strconv.FormatInt(time.Now().Unix(), 10)
	ago := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(-d).Unix(), 10) }
	sign := func(id, timestamp string) http.Header {
		return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signedBy(hookSecret, id, timestamp, body)}}
	}
	with := func(h http.Header, name string, values ...string) http.Header { h[name] = values; return h }
	good := signedBy(hookSecret, "e", now, body)
	for _, test := range []struct {
		name   string
		header http.Header
		body   string
		want   int
		reason string // in the log
	}{
		{"signed", sign("evt_7", now), body, 200, ""},
		{"by the second secret", with(sign("e", now), "Webhook-Signature", signedBy(otherSecret, "e", now, body)), body, 200, ""},
		{"among others", with(sign("e", now), "Webhook-Signature", "v1a,xyz v2,"+good[3:]+"  v1,AAAA "+good+" v1,"), body, 200, ""},
		{"an id of visible characters", sign("~!@#/=+\"", now), body, 200, ""},
		{"4 minutes 50 ago", sign("e", ago(290*time.Second)), body, 200, ""},
		{"in 4 minutes 50", sign("e", ago(-290*time.Second)), body, 200, ""},
		{"zeros before the timestamp", sign("e", "000"+now), body, 200, ""},
		{"5 minutes 10 ago", sign("e", ago(310*time.Second)), body, 401, "5m1"},
		{"in 5 minutes 10", sign("e", ago(-310*time.Second)), body, 401, "old"},
		{"before 1970", sign("e", "-1"), body, 401, "not a number"},
		{"a plus", sign("e", "+"+now), body, 401, "not a number"},
		{"a fraction", sign("e", now+".5"), body, 401, "not a number"},
		{"a timestamp without an end", sign("e", strings.Repeat("9", 400)), body, 401, "not a number"},
		{"the end of all time", sign("e", "9223372036854775807"), body, 401, "old"},
		{"no timestamp", sign("e", ""), body, 401, "not a number"},
		{"no headers", http.Header{}, body, 401, "0 headers webhook-id"},
		{"two ids", with(sign("e", now), "Webhook-Id", "e", "e"), body, 401, "2 headers webhook-id"},
		{"two signatures in two headers", with(sign("e", now), "Webhook-Signature", good, good), body, 401, "2 headers webhook-signature"},
		{"an empty id", sign("", now), body, 401, "the id"},
		{"a point in the id", sign("a.b", now), body, 401, "the id"},
		{"a blank in the id", sign("a b", now), body, 401, "the id"},
		{"256 characters", sign(strings.Repeat("a", 256), now), body, 401, "the id"},
		{"another body", sign("e", now), body + " ", 401, "no signature"},
		{"another id", with(sign("e", now), "Webhook-Id", "f"), body, 401, "no signature"},
		{"another timestamp", with(sign("e", now), "Webhook-Timestamp", ago(time.Second)), body, 401, "no signature"},
		{"another secret", with(sign("e", now), "Webhook-Signature", signedBy("whsec_"+strings.Repeat("B", 32), "e", now, body)), body, 401, "no signature"},
		{"a signature without its version", with(sign("e", now), "Webhook-Signature", good[3:]), body, 401, "no signature"},
		{"another version", with(sign("e", now), "Webhook-Signature", "v2,"+good[3:]), body, 401, "no signature"},
		{"no signature", with(sign("e", now), "Webhook-Signature", ""), body, 401, "no signature"},
		{"the beginning of one", with(sign("e", now), "Webhook-Signature", good[:20]), body, 401, "no signature"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := captureDefaultLog(t)
			var got []byte
			var key []string
			next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got, _ = io.ReadAll(r.Body)
				key = r.Header["Idempotency-Key"]
			})
			r := httptest.NewRequest("POST", "/hooks", strings.NewReader(test.body))
			r.Header = test.header
			r.Header.Set("Idempotency-Key", "of the sender")
			w := httptest.NewRecorder()
			svc.VerifyWebhook(hookSecret, otherSecret)(next).ServeHTTP(w, r)
			if w.Code != test.want {
				t.Fatalf("%d %s, want %d; %s", w.Code, w.Body, test.want, lines)
			}
			if test.want == 200 {
				if string(got) != test.body || len(key) != 1 || key[0] != test.header.Get("Webhook-Id") {
					t.Errorf("the next handler got %q with the key %q", got, key)
				}
				return
			}
			const message = `{"error":{"code":"UNAUTHENTICATED","message":"the signature of the webhook is missing, wrong or too old"}}`
			if w.Body.String() != message || w.Header().Get("WWW-Authenticate") == "" || got != nil {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
			if line := lines.String(); !strings.Contains(line, "level=DEBUG") || !strings.Contains(line, test.reason) || strings.Contains(line, good[3:]) {
				t.Errorf("logged %s, want %s", line, test.reason)
			}
		})
	}
}

// captureDefaultLog collects what slog.Default gets during a test, which runs alone.
func captureDefaultLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(os.Stderr) // which SetDefault has changed
	})
	return &lines
}

func TestVerifyWebhookRequests(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err, r.ContentLength)
	})
	server := httptest.NewServer(svc.VerifyWebhook(hookSecret)(next))
	defer server.Close()
	large := strings.Repeat("a", svc.DefaultMaxBody)
	for _, test := range []struct {
		name, method, body string
		chunked            bool
		want               string
	}{
		{"a GET", "GET", "", false, `405 {"error":{"code":"UNIMPLEMENTED","message":"the method is not allowed here; allowed: POST"}}`},
		{"an empty body", "POST", "", false, "200 0 <nil> 0"},
		{"1 MiB", "POST", large, false, "200 1048576 <nil> 1048576"},
		{"1 MiB in chunks", "POST", large, true, "200 1048576 <nil> 1048576"},
		{"a byte more", "POST", large + "a", false, "413 "},
		{"a byte more in chunks", "POST", large + "a", true, "413 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequest("POST", server.URL, strings.NewReader(test.body))
			if err == nil {
				err = svc.SignWebhook(r, "e", hookSecret)
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Method = test.method; test.chunked {
				r.ContentLength = -1
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, _ := io.ReadAll(res.Body)
			if got := fmt.Sprintf("%d %s", res.StatusCode, text); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Verify that requests at the same time do not get the error of each other's bodies.
func TestVerifyWebhookAtOnce(t *testing.T) {
	h := svc.VerifyWebhook(hookSecret)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	var all sync.WaitGroup
	for i := range 100 {
		body, want := "{}", 200
		if i%2 == 1 {
			body, want = strings.Repeat("a", svc.DefaultMaxBody+1), 413
		}
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		now := strconv.FormatInt(time.Now().Unix(), 10)
		r.Header = http.Header{"Webhook-Id": {"e"}, "Webhook-Timestamp": {now}, "Webhook-Signature": {signedBy(hookSecret, "e", now, body)}}
		all.Add(1)
		go func() {
			defer all.Done()
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%d, want %d", w.Code, want)
			}
		}()
	}
	all.Wait()
}

func TestVerifyWebhookPanics(t *testing.T) {
	for _, secrets := range [][]string{nil, {""}, {"secret"}, {hookSecret, hookSecret[:20]}} {
		t.Run(fmt.Sprint(len(secrets), " secrets"), func(t *testing.T) {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "svc: VerifyWebhook: ") || strings.Contains(text, hookSecret[8:18]) {
					t.Errorf("panic: %s", text)
				}
			}()
			svc.VerifyWebhook(secrets...)
		})
	}
}

type (
	hookEvents interface {
		Created(ctx context.Context, in *hookEvent) error
	}
	hookEvent struct {
		Type string `json:"type" enum:"note.created"`
		Text string `json:"text"`
	}
	hookReceiver struct{ texts []string }
)

func (h *hookReceiver) Created(ctx context.Context, in *hookEvent) error {
	h.texts = append(h.texts, in.Text)
	return nil
}

// Verify that a captured webhook runs once, whatever key it has when it is sent again.
func TestWebhookActsOnce(t *testing.T) {
	receiver, records := new(hookReceiver), make(map[string][]byte)
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		if record, ok := records[id]; ok {
			return record, nil
		}
		record, err := do(ctx)
		if err == nil {
			records[id] = record
		}
		return record, err
	}
	service := svc.MustRegister[hookEvents](receiver, &svc.Options{Resource: "events", Idempotency: &svc.Idempotency{Run: run}, Methods: map[string]svc.MethodOptions{
		"Created": {HTTP: "POST /hooks", IdempotencyKey: svc.KeyRequired}}})
	h := svc.VerifyWebhook(hookSecret)(service.REST())
	send := func(id, text, key string) string {
		r := newHook(t, `{"type":"note.created","text":"`+text+`"}`)
		r.Header.Set("Content-Type", "application/json")
		if err := svc.SignWebhook(r, id, hookSecret); err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Idempotency-Key", key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return fmt.Sprint(w.Code)
	}
	got := []string{send("e1", "a", "k1"), send("e1", "a", "k2"), send("e2", "b", "k1"), send("e1", "a", "")}
	if strings.Join(got, " ") != "204 204 204 204" || strings.Join(receiver.texts, " ") != "a b" {
		t.Errorf("answers %v, and the method got %v", got, receiver.texts)
	}
}

func TestPublicOnly(t *testing.T) {
	for _, test := range []struct{ network, address, want string }{
		{"tcp4", "8.8.8.8:443", ""},
		{"tcp4", "1.1.1.1:80", ""},
		{"tcp", "172.32.0.1:443", ""},
		{"tcp4", "100.128.0.1:443", ""},
		{"tcp6", "[2606:4700:4700::1111]:443", ""},
		{"tcp6", "[2a00:1450::1]:80", ""},
		{"tcp6", "[2001:200::1]:443", ""},
		{"tcp4", "127.0.0.1:443", "not a public address"},
		{"tcp4", "127.255.0.9:443", "not a public address"},
		{"tcp4", "10.0.0.1:443", "not a public address"},
		{"tcp4", "172.16.0.1:443", "not a public address"},
		{"tcp4", "192.168.1.1:443", "not a public address"},
		{"tcp4", "169.254.169.254:80", "not a public address"},
		{"tcp4", "100.64.0.1:443", "not a public address"},
		{"tcp4", "100.127.255.255:443", "not a public address"},
		{"tcp4", "0.0.0.0:443", "not a public address"},
		{"tcp4", "0.1.2.3:443", "not a public address"},
		{"tcp4", "192.0.0.170:443", "not a public address"},
		{"tcp4", "192.0.2.1:443", "not a public address"},
		{"tcp4", "198.19.0.1:443", "not a public address"},
		{"tcp4", "198.51.100.1:443", "not a public address"},
		{"tcp4", "203.0.113.1:443", "not a public address"},
		{"tcp4", "192.88.99.1:443", "not a public address"},
		{"tcp4", "224.0.0.1:443", "not a public address"},
		{"tcp4", "240.0.0.1:443", "not a public address"},
		{"tcp4", "255.255.255.255:443", "not a public address"},
		{"tcp6", "[::1]:443", "not a public address"},
		{"tcp6", "[::]:443", "not a public address"},
		{"tcp6", "[::ffff:8.8.8.8]:443", "not a public address"},
		{"tcp6", "[::ffff:127.0.0.1]:443", "not a public address"},
		{"tcp6", "[::8.8.8.8]:443", "not a public address"},
		{"tcp6", "[64:ff9b::7f00:1]:443", "not a public address"},
		{"tcp6", "[64:ff9b:1::1]:443", "not a public address"},
		{"tcp6", "[2002:7f00:1::]:443", "not a public address"},
		{"tcp6", "[2001::1]:443", "not a public address"},
		{"tcp6", "[2001:db8::1]:443", "not a public address"},
		{"tcp6", "[3fff::1]:443", "not a public address"},
		{"tcp6", "[fc00::1]:443", "not a public address"},
		{"tcp6", "[fd00:ec2::254]:80", "not a public address"},
		{"tcp6", "[fe80::1%eth0]:443", "not a public address"},
		{"tcp6", "[2606:4700::1%eth0]:443", "not a public address"},
		{"tcp6", "[fec0::1]:443", "not a public address"},
		{"tcp6", "[ff02::1]:443", "not a public address"},
		{"tcp6", "[5f00::1]:443", "not a public address"},
		{"tcp4", "8.8.8.8:22", "port 22 is not 443 or 80"},
		{"tcp4", "8.8.8.8:0", "port 0 is not"},
		{"udp4", "8.8.8.8:443", "is not an address of TCP"},
		{"unix", "/run/docker.sock", "is not an address of TCP"},
		{"tcp", "example.com:443", "is not an address of TCP"},
	} {
		t.Run(test.network+" "+test.address, func(t *testing.T) {
			err := svc.PublicOnly(test.network, test.address, nil)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// Verify that a name is no way around PublicOnly: each of its addresses is looked at when it is dialed.
func TestPublicOnlyNames(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server inside was called") }))
	defer inside.Close()
	names := serveDNS(t, [4]byte{127, 0, 0, 1}, [4]byte{169, 254, 169, 254})
	dialer := &net.Dialer{Control: svc.PublicOnly, Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", names)
	}}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	for _, url := range []string{"http://rebind.example:" + port, "http://rebind.example", inside.URL, "http://localhost:" + port} {
		t.Run(url, func(t *testing.T) {
			res, err := client.Get(url)
			if err == nil {
				res.Body.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "svc: PublicOnly: ") {
				t.Errorf("%v", err)
			}
		})
	}
}

// serveDNS answers each question for IPv4 with these addresses, and all others with none. It
// returns its address.
func serveDNS(t *testing.T, addresses ...[4]byte) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1024)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			name := 12 + bytes.IndexByte(buf[12:n], 0) + 1 // RFC 1035, section 4.1
			question := buf[12 : name+4]
			answer := binary.BigEndian.AppendUint16(nil, binary.BigEndian.Uint16(buf))
			count := len(addresses)
			if question[len(question)-3] != 1 { // not of type A
				count = 0
			}
			answer = append(answer, 0x84, 0, 0, 1, 0, byte(count), 0, 0, 0, 0)
			answer = append(answer, question...)
			for _, a := range addresses[:count] {
				answer = append(append(answer, 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4), a[:]...)
			}
			conn.WriteTo(answer, from)
		}
	}()
	return conn.LocalAddr().String()
}
