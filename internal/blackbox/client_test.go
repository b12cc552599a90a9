package blackbox_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests clients against what networks and servers do. That clients and the
// server agree on inputs is in client_equivalence_test.go.

// A WidgetAPI has a field of each source, headers in its output, and a stream.
type WidgetAPI interface {
	Update(context.Context, *WidgetIn) (*Widget, error)
	Delete(context.Context, *WidgetID) error
	Count(context.Context, *Counting) (svc.Stream[Widget], error)
	One(context.Context) (*Widget, error)
}

type (
	WidgetID struct {
		ID string `json:"id"`
	}
	WidgetIn struct {
		ID      string        `json:"id"`
		Force   bool          `json:"force,omitempty" query:"force"`
		Match   string        `json:"-" header:"If-Match,omitempty"`
		Word    string        `json:"-" header:"X-Word,omitempty"`
		Wait    time.Duration `json:"-" header:"X-Wait,omitempty"`
		Session string        `json:"-" cookie:"session,omitempty"`
		Size    int           `json:"size,omitempty" default:"7"`
	}
	Widget struct {
		ID    string    `json:"id"`
		Note  string    `json:"note,omitempty"`
		Size  int       `json:"size,omitempty"`
		ETag  string    `json:"-" header:"ETag"`
		Since time.Time `json:"-" header:"Last-Modified"`
		Links []string  `json:"-" header:"Link"`
		Left  *uint8    `json:"-" header:"X-Left"`
	}
	Counting struct {
		To int `json:"to"`
	}
)

// parts implements WidgetAPI.
type parts struct {
	err   error
	ended chan error // why the ctx of each Count had ended
}

func (p *parts) Update(_ context.Context, in *WidgetIn) (*Widget, error) {
	left := uint8(3)
	note := fmt.Sprintf("%t %s %v %s", in.Force, in.Match, in.Wait, in.Session)
	return &Widget{ID: in.ID, Note: note, Size: in.Size, ETag: `"v1"`, Since: time.Unix(1e9, 0), Links: []string{"</a>", "</b>"}, Left: &left}, p.err
}
func (p *parts) Delete(context.Context, *WidgetID) error { return p.err }

func (p *parts) One(context.Context) (*Widget, error) { return &Widget{ID: "only"}, nil }

func (p *parts) Count(ctx context.Context, in *Counting) (svc.Stream[Widget], error) {
	if in.To < 0 {
		return nil, svc.Errorf(svc.CodeOutOfRange, "below zero")
	}
	return func(yield func(*Widget, error) bool) {
		defer func() { p.ended <- context.Cause(ctx) }()
		for i := range in.To {
			if !yield(&Widget{ID: fmt.Sprint(i)}, nil) {
				return
			}
		}
		if p.err != nil {
			yield(nil, p.err)
		}
	}, nil
}

// partsClient is a client of WidgetAPI.
type partsClient struct {
	Update func(context.Context, *WidgetIn) (*Widget, error)
	Delete func(context.Context, *WidgetID) error
	Count  func(context.Context, *Counting) (svc.Stream[Widget], error)
	One    func(context.Context) (*Widget, error)
}

func partsOptions() *svc.Options {
	return &svc.Options{Resource: "parts", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"One": {Stream: svc.StreamSSE}}}
}

// newParts returns an implementation and the handler of its service.
func newParts() (*parts, http.Handler) {
	p := &parts{ended: make(chan error, 100)}
	return p, svc.MustRegister[WidgetAPI](p, partsOptions()).REST()
}

// connectParts returns a client of the service at a URL, or of a handler.
func connectParts(t testing.TB, baseURL string, opts svc.ClientOptions) *partsClient {
	t.Helper()
	opts.Service, opts.Attempts = partsOptions(), cmp.Or(opts.Attempts, 1)
	client := new(partsClient)
	if err := svc.Connect[WidgetAPI](client, baseURL, &opts); err != nil {
		t.Fatal(err)
	}
	return client
}

// newHTTPClient returns a client whose connections end with the test.
func newHTTPClient(t testing.TB) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Verify that headers and cookies go to the server and come back.
func TestClientHeaders(t *testing.T) {
	_, handler := newParts()
	client := connectParts(t, "", svc.ClientOptions{Handler: handler})
	out, err := client.Update(context.Background(), &WidgetIn{ID: "a/ü%", Force: true, Match: `"x-y"`, Wait: 3 * time.Microsecond, Session: "s=1"})
	if err != nil {
		t.Fatal(err)
	}
	left := uint8(3)
	want := &Widget{ID: "a/ü%", Note: `true "x-y" 3µs s=1`, Size: 7, ETag: `"v1"`, Since: time.Unix(1e9, 0).UTC(), Links: []string{"</a>", "</b>"}, Left: &left}
	if !reflect.DeepEqual(out, want) {
		t.Errorf("got  %+v\nwant %+v", out, want)
	}
}

// Verify that headers that do not fit the output are an error.
func TestClientForeignHeaders(t *testing.T) {
	for _, test := range []struct{ name, values, want string }{
		{"Last-Modified", "Sun, 09 Sep 2001 01:46:40 GMT", "<nil>"},
		{"Last-Modified", "yesterday", "INTERNAL: the response does not match the type of the output: /Last-Modified must be a date of HTTP, such as Sun, 06 Nov 1994 08:49:37 GMT"},
		{"ETag", `"a" "b"`, "INTERNAL: the response does not match the type of the output: /ETag is given more than once"},
		{"X-Left", "256", "INTERNAL: the response does not match the type of the output: /X-Left must be an integer between 0 and 255"},
	} {
		t.Run(rowName(test.name, test.values), func(t *testing.T) {
			client := connectParts(t, "", svc.ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header()[http.CanonicalHeaderKey(test.name)] = strings.SplitN(test.values, `" `, 2)
				io.WriteString(w, "{}")
			})})
			if _, err := client.Update(context.Background(), &WidgetIn{ID: "1"}); !strings.HasPrefix(fmt.Sprint(err), test.want) {
				t.Errorf("%s: %s: got %v, want %s", test.name, test.values, err, test.want)
			}
		})
	}
}

// Verify what is refused because HTTP cannot carry it, and that it is not sent.
func TestClientUnsent(t *testing.T) {
	client := connectParts(t, "", svc.ClientOptions{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })})
	for _, test := range []struct {
		name string
		in   *WidgetIn
		want string
	}{
		{"nil", nil, "INVALID_ARGUMENT: the input of parts.update is a nil *blackbox_test.WidgetIn"},
		{"no ID", &WidgetIn{}, `INVALID_ARGUMENT: invalid input: /id must not be empty, ".", ".." or "/", which the path of a URL cannot carry`},
		{"slash", &WidgetIn{ID: "/"}, `INVALID_ARGUMENT: invalid input: /id must not be empty, ".", ".." or "/", which the path of a URL cannot carry`},
		{"dot", &WidgetIn{ID: "."}, `INVALID_ARGUMENT: invalid input: /id must not be empty, ".", ".." or "/", which the path of a URL cannot carry`},
		{"two dots", &WidgetIn{ID: ".."}, `INVALID_ARGUMENT: invalid input: /id must not be empty, ".", ".." or "/", which the path of a URL cannot carry`},
		{"ID is not UTF-8", &WidgetIn{ID: "\xff"}, "INVALID_ARGUMENT: invalid input: /id must be valid UTF-8"},
		{"line end in a header", &WidgetIn{ID: "1", Word: "a\r\nX-Evil: 1"}, "INVALID_ARGUMENT: invalid input: /X-Word must be visible ASCII characters, with spaces only between them, since a header carries nothing else"},
		{"no entity tag", &WidgetIn{ID: "1", Match: "a"}, "INVALID_ARGUMENT: invalid input: /If-Match must be * or entity tags, each in its quotation marks, such as \"1\""},
		{"space before a header", &WidgetIn{ID: "1", Word: " a"}, "INVALID_ARGUMENT: invalid input: /X-Word must be visible ASCII characters, with spaces only between them, since a header carries nothing else"},
		{"semicolon in a cookie", &WidgetIn{ID: "1", Session: "a;b"}, "INVALID_ARGUMENT: invalid input: /session must be visible ASCII characters, without semicolons, quotes around them and spaces around them, since a cookie carries nothing else"},
		{"quotes around a cookie", &WidgetIn{ID: "1", Session: `"a"`}, "INVALID_ARGUMENT: invalid input: /session must be visible ASCII characters, without semicolons, quotes around them and spaces around them, since a cookie carries nothing else"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := client.Update(context.Background(), test.in); err == nil || err.Error() != test.want {
				t.Errorf("%+v: got %v, want %s", test.in, err, test.want)
			}
		})
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{unwritten[rCode](), "INVALID_ARGUMENT: the input has no form in JSON: it is never written"},
		{unwritten[rFussy](), "INTERNAL: panic: ABORTED: secret"},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			if test.err == nil || test.err.Error() != test.want {
				t.Errorf("got %v, want %s", test.err, test.want)
			}
		})
	}
	var none context.Context
	if err := client.Delete(none, &WidgetID{"1"}); svc.CodeOf(err) != svc.CodeInvalidArgument {
		t.Errorf("a nil context: %v", err)
	}
}

// unwritten returns the error that a client gives for an input with a T that it cannot write.
func unwritten[T any]() error {
	var client struct {
		Make func(context.Context, *one[T]) error
	}
	if err := svc.Connect[taker[one[T]]](&client, "", &svc.ClientOptions{Handler: http.NotFoundHandler(), Service: optionsOf("Make", nil)}); err != nil {
		return err
	}
	return client.Make(context.Background(), new(one[T]))
}

// Verify that errors of methods come back with all that the server sends of them.
func TestClientErrors(t *testing.T) {
	for form, onError := range map[string]svc.ErrorWriter{"envelope": svc.WriteError, "problem": svc.WriteProblem} {
		p := &parts{}
		opts := partsOptions()
		opts.OnError = onError
		client := connectParts(t, "", svc.ClientOptions{Handler: svc.MustRegister[WidgetAPI](p, opts).REST()})
		secret := errors.New("secret")
		for _, test := range []struct {
			err    error
			want   string
			status int
			after  string
		}{
			{svc.Errorf(svc.CodeNotFound, "no part %q", "x\n"), "NOT_FOUND: no part \"x\\n\"", 404, ""},
			{svc.Errorf(svc.CodeAborted, "conflict: %w", secret), "ABORTED: conflict", 409, ""},
			{svc.Errorf(svc.CodeInternal, "disk 7"), "INTERNAL: internal error", 500, ""},
			{secret, "INTERNAL: internal error", 500, ""},
			{svc.Errorf(svc.CodeFailedPrecondition, "changed").WithStatus(412), "FAILED_PRECONDITION: changed", 412, ""},
			{svc.Errorf(svc.CodeUnavailable, "busy").WithHeader("Retry-After", "7").WithHeader("X-Other", "1"), "UNAVAILABLE: busy", 503, "7"},
			{context.DeadlineExceeded, "DEADLINE_EXCEEDED: the call took too long", 504, ""},
			{svc.Errorf("NO_CODE", "x"), "UNKNOWN: unknown error", 500, ""},
		} {
			t.Run(rowName(form, test.err), func(t *testing.T) {
				p.err = test.err
				err := client.Delete(context.Background(), &WidgetID{"1"})
				var e *svc.Error
				if !errors.As(err, &e) || e.Error() != test.want || e.HTTPStatus() != test.status || e.Header().Get("Retry-After") != test.after || errors.Unwrap(e) != nil {
					t.Errorf("%v: got %v %+v, want %s", test.err, err, e, test.want)
				}
			})
		}
		p.err = svc.Errorf(svc.CodeInvalidArgument, "bad").WithDetails(map[string]any{"n": 1, "violations": []svc.Violation{{In: "body", Path: "/a", Rule: "type", Message: "m"}}})
		err := client.Delete(context.Background(), &WidgetID{"1"})
		want := map[string]any{"n": 1.0, "violations": []svc.Violation{{In: "body", Path: "/a", Rule: "type", Message: "m"}}}
		if got := svc.ErrorFrom(err).Details; !reflect.DeepEqual(got, want) {
			t.Errorf("details %v, want %v", got, want)
		}
	}
}

// Verify that an error that a client received has the headers of the response, and
// that a method which returns it sends Retry-After of them and what it adds itself.
func TestClientErrorHeaders(t *testing.T) {
	back := &parts{err: svc.Errorf(svc.CodeUnavailable, "busy").WithHeader("Retry-After", "7").WithHeader("X-Other", "1").WithHeader("X-Mine", "back").
		WithHeader("Set-Cookie", "a=b").WithHeader("ETag", `"v1"`)}
	rest := svc.MustRegister[WidgetAPI](back, partsOptions()).REST()
	foreign := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("X-Other", "1")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusBadGateway)
	})
	for _, h := range []http.Handler{rest, foreign} {
		client := connectParts(t, "", svc.ClientOptions{Handler: h})
		e := svc.ErrorFrom(client.Delete(context.Background(), &WidgetID{"1"}))
		for name, want := range map[string]string{"Retry-After": "7", "X-Other": "1", "Set-Cookie": "a=b"} {
			if got := e.Header().Get(name); got != want {
				t.Errorf("the error has %s: %q, want %q", name, got, want)
			}
		}
		e.Header().Set("X-Other", "2") // of a copy
		mine := e.WithHeader("X-Mine", "front").WithDetail("n", 1)
		if mine.Header().Get("X-Mine") != "front" || mine.Header().Get("X-Other") != "1" {
			t.Errorf("with a header of its own the error has %v", mine.Header())
		}
		for _, err := range []error{e, mine, fmt.Errorf("asking: %w", mine)} {
			for _, onError := range []svc.ErrorWriter{svc.WriteError, svc.WriteProblem} {
				opts := partsOptions()
				opts.OnError = onError
				a := answerTo(svc.MustRegister[WidgetAPI](&parts{err: err}, opts).REST(), "DELETE", "/parts/1", "")
				for name, values := range a.Header {
					switch name {
					case "Content-Type", "Content-Length", "X-Content-Type-Options":
					case "Retry-After":
						if values[0] != "7" {
							t.Errorf("%v is sent with %s: %q", err, name, values)
						}
					case "X-Mine":
						if values[0] != "front" || err == error(e) {
							t.Errorf("%v is sent with %s: %q", err, name, values)
						}
					default:
						t.Errorf("%v is sent with %s: %q", err, name, values)
					}
				}
				if a.Header.Get("Retry-After") == "" || a.Header.Get("X-Mine") == "" && err != error(e) {
					t.Errorf("%v is sent with %v", err, a.Header)
				}
			}
		}
	}
}

// Verify what clients make of answers that no service writes.
func TestClientForeignAnswers(t *testing.T) {
	html := "<html><h1>It works!</h1></html>"
	for _, test := range []struct {
		name, contentType string
		status            int
		body              string
		update, remove    string // what Update and Delete get
	}{
		{"proxy", "text/html", 502, html, "UNAVAILABLE: the response is not from the service: it has the status 502 Bad Gateway", ""},
		{"no body", "", 503, "", "UNAVAILABLE: the response is not from the service: it has the status 503 Service Unavailable", ""},
		{"unknown status", "text/plain", 599, "x", "UNKNOWN: the response is not from the service: it has the status 599", ""},
		{"other JSON", "application/json", 404, `{"error":{"code":404,"message":"secret"}}`, "NOT_FOUND: the response is not from the service: it has the status 404 Not Found: REQUEST", ""},
		{"other code", "application/json", 409, `{"error":{"code":"STRANGE","message":"secret"}}`, "ALREADY_EXISTS: the response is not from the service: it has the status 409 Conflict", ""},
		{"OK as an error", "application/json", 500, `{"error":{"code":"OK","message":"m"}}`, "INTERNAL: the response is not from the service: it has the status 500 Internal Server Error", ""},
		{"JSON by another name", "text/plain", 404, `{"error":{"code":"ABORTED","message":"m"}}`, "NOT_FOUND: the response is not from the service: it has the status 404 Not Found: REQUEST", ""},
		{"envelope in pieces", "application/json", 404, `{"error":{"code":"ABORTED","mess`, "NOT_FOUND: the response is not from the service: it has the status 404 Not Found: REQUEST", ""},
		{"redirect", "text/html", 302, html, "UNKNOWN: the server redirects to SERVER/elsewhere, which clients do not follow: it has the status 302 Found", ""},
		{"permanent redirect", "", 308, "", "UNKNOWN: the server redirects to SERVER/elsewhere, which clients do not follow: it has the status 308 Permanent Redirect", ""},
		{"not modified", "", 304, "", "UNKNOWN: the response has no output: it has the status 304 Not Modified", ""},
		{"success page", "text/html", 200, html, "INTERNAL: the Content-Type of the response is not application/json", "INTERNAL: the response has a body that is not JSON, and the method has no output"},
		{"no output", "", 204, "", "INTERNAL: the response has the status 204 No Content and no output", "<nil>"},
		{"truncated JSON", "application/json", 200, `{"id":"1`, "INTERNAL: the response does not match the type of the output: the text is not valid JSON: a string without its closing quote, at byte 8", "<nil>"},
		{"other type", "application/json", 200, `{"id":1}`, "INTERNAL: the response does not match the type of the output: /id must be a string, is a number", "<nil>"},
		{"list", "application/json", 200, `[]`, "INTERNAL: the response does not match the type of the output: must be an object, is an array", "<nil>"},
		{"too large", "application/json", 200, `{"id":"` + strings.Repeat("x", 3000) + `"}`, "INTERNAL: the response has more than 2000 bytes, the limit of the client: the body is larger than ClientOptions.MaxBody", "INTERNAL: the response has more than 2000 bytes, the limit of the client: the body is larger than ClientOptions.MaxBody"},
		{"too large an error", "application/json", 404, strings.Repeat(" ", 3000) + `{"error":{"code":"ABORTED","message":"m"}}`, "NOT_FOUND: the response is not from the service: it has the status 404 Not Found: REQUEST", ""},
		{"unknown and absent members", "application/json; charset=utf-8", 200, `{"new":[{}]}`, "<nil>", "<nil>"},
		{"more than the rules allow", "application/json", 200, `{"id":"","size":-1}`, "<nil>", "<nil>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				if test.contentType != "" {
					w.Header().Set("Content-Type", test.contentType)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}))
			client := connectParts(t, server.URL, svc.ClientOptions{MaxBody: 2000})
			_, err := client.Update(context.Background(), &WidgetIn{ID: "1"})
			if e := new(svc.Error); test.status >= 400 && (!errors.As(err, &e) || e.HTTPStatus() != test.status) {
				t.Errorf("the status of %v is %d, want %d", err, e.HTTPStatus(), test.status)
			}
			const options = ", by the base URL and ClientOptions.Service"
			if got := strings.ReplaceAll(fmt.Sprint(err), "PUT "+server.URL+"/parts/1"+options, "REQUEST"); strings.ReplaceAll(got, server.URL, "SERVER") != test.update {
				t.Errorf("%s: Update got\n%s, want\n%s", test.name, got, test.update)
			}
			if test.remove == "" {
				test.remove = test.update
			}
			err = client.Delete(context.Background(), &WidgetID{"1"})
			if got := strings.ReplaceAll(fmt.Sprint(err), "DELETE "+server.URL+"/parts/1"+options, "REQUEST"); strings.ReplaceAll(got, server.URL, "SERVER") != test.remove {
				t.Errorf("%s: Delete got\n%s, want\n%s", test.name, got, test.remove)
			}
			server.Close()
		})
	}
}

// Verify that an error says what was asked for where the options of the client lead to
// no route, in its text and not on the wire, and nowhere else.
func TestClientWithoutRoute(t *testing.T) {
	_, handler := newParts()
	mux := http.NewServeMux()
	mux.Handle("/v1/", http.StripPrefix("/v1", handler))
	for _, test := range []struct {
		base    string
		options svc.Options
		want    string
	}{
		{"https://ada:secret@h.example/v1", svc.Options{Resource: "part"}, "NOT_FOUND: there is nothing at this path: PUT https://h.example/v1/part/a%2Fb, by the base URL and ClientOptions.Service"},
		{"https://h.example", svc.Options{Resource: "parts"}, "NOT_FOUND: the response is not from the service: it has the status 404 Not Found: PUT https://h.example/parts/a%2Fb, by the base URL and ClientOptions.Service"},
		{"https://h.example/v1", svc.Options{Resource: "parts", Methods: map[string]svc.MethodOptions{"Update": {HTTP: "PATCH /parts/{id}"}}},
			"UNIMPLEMENTED: the method is not allowed here; allowed: PUT, DELETE: PATCH https://h.example/v1/parts/a%2Fb, by the base URL and ClientOptions.Service"},
	} {
		t.Run(rowName(test.base), func(t *testing.T) {
			client := new(partsClient)
			if err := svc.Connect[WidgetAPI](client, test.base, &svc.ClientOptions{Service: &test.options, Handler: mux}); err != nil {
				t.Fatal(err)
			}
			_, err := client.Update(context.Background(), &WidgetIn{ID: "a/b", Force: true})
			if fmt.Sprint(err) != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
			w := httptest.NewRecorder()
			svc.WriteError(w, httptest.NewRequest("GET", "/", nil), err)
			if body := w.Body.String(); strings.Contains(body, "h.example") {
				t.Errorf("the answer to the client of the client is %s", body)
			}
		})
	}
}

// rawServer answers each connection with these bytes and closes it. It resets the
// connection if reset is set.
func rawServer(t testing.TB, answer string, reset bool) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 4096))
			io.WriteString(c, answer)
			if reset {
				c.(*net.TCPConn).SetLinger(0)
			}
			c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

// Verify what clients make of a network that does not deliver, and of ctx.
func TestClientNetwork(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\":"
	for _, test := range []struct {
		name, url string
		code      svc.Code
		message   string
		reason    string
	}{
		{"refused", closed.URL, svc.CodeUnavailable, "the server did not answer", "not_sent"},
		{"no answer", rawServer(t, "", false), svc.CodeUnavailable, "the server did not answer", "outcome_unknown"},
		{"reset", rawServer(t, "", true), svc.CodeUnavailable, "the server did not answer", "outcome_unknown"},
		{"no HTTP", rawServer(t, "SSH-2.0-x\r\n\r\n", false), svc.CodeUnavailable, "the server did not answer", "outcome_unknown"},
		{"cut", rawServer(t, ok, false), svc.CodeUnavailable, "the response was cut", "outcome_unknown"},
		{"reset in the body", rawServer(t, ok, true), svc.CodeUnavailable, "", "outcome_unknown"},
		{"cut chunk", rawServer(t, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n", false), svc.CodeUnavailable, "the response was cut", "outcome_unknown"},
		{"no such host", "http://host.invalid", svc.CodeUnavailable, "the server did not answer", "not_sent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := connectParts(t, test.url, svc.ClientOptions{HTTPClient: newHTTPClient(t)})
			_, err := client.Update(context.Background(), &WidgetIn{ID: "1"})
			e := svc.ErrorFrom(err)
			if svc.CodeOf(err) != test.code || test.message != "" && e.Message != test.message || errors.Unwrap(e) == nil || e.Reason() != test.reason {
				t.Errorf("%s: got %v (%s), want %s %s (%s) with a cause", test.name, err, e.Reason(), test.code, test.message, test.reason)
			}
		})
	}
}

// Verify that the end of ctx, and the time of the http.Client, decide the code, in
// the header and in the body of the answer.
func TestClientContext(t *testing.T) {
	release := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "PUT" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"id":`)
			w.(http.Flusher).Flush()
		}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer server.Close()
	defer close(release)
	because := errors.New("because")
	for _, test := range []struct {
		name string
		ctx  func() (context.Context, func())
		http time.Duration
		want svc.Code
		is   error
	}{
		{"canceled before", func() (context.Context, func()) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		}, 0, svc.CodeCanceled, context.Canceled},
		{"canceled with a cause", func() (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(context.Background())
			timer := time.AfterFunc(20*time.Millisecond, func() { cancel(because) })
			return ctx, func() { timer.Stop(); cancel(nil) }
		}, 0, svc.CodeCanceled, context.Canceled},
		{"deadline", func() (context.Context, func()) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			return ctx, cancel
		}, 0, svc.CodeDeadlineExceeded, context.DeadlineExceeded},
		{"time of the http.Client", func() (context.Context, func()) { return context.Background(), func() {} }, 20 * time.Millisecond, svc.CodeDeadlineExceeded, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHTTPClient(t)
			h.Timeout = test.http
			client := connectParts(t, server.URL, svc.ClientOptions{HTTPClient: h})
			ctx, cancel := test.ctx()
			_, err := client.Update(ctx, &WidgetIn{ID: "1"})
			if svc.CodeOf(err) != test.want || !errors.Is(err, test.is) {
				t.Errorf("%s: in the body: %v", test.name, err)
			}
			cancel()
			ctx, cancel = test.ctx()
			if err := client.Delete(ctx, &WidgetID{"1"}); svc.CodeOf(err) != test.want || !errors.Is(err, test.is) {
				t.Errorf("%s: before the header: %v", test.name, err)
			}
			cancel()
		})
	}
}

// eachProtocol calls run with a server of the handler over HTTP/1.1 and HTTP/2, and
// with the handler alone.
func eachProtocol(t *testing.T, handler http.Handler, run func(t *testing.T, baseURL string, opts svc.ClientOptions)) {
	t.Run("HTTP/1.1", func(t *testing.T) {
		server := httptest.NewServer(handler)
		defer server.Close()
		run(t, server.URL, svc.ClientOptions{HTTPClient: newHTTPClient(t)})
	})
	t.Run("HTTP/2", func(t *testing.T) {
		server := httptest.NewUnstartedServer(handler)
		server.EnableHTTP2 = true
		server.StartTLS()
		defer server.Close()
		run(t, server.URL, svc.ClientOptions{HTTPClient: server.Client()})
	})
	t.Run("Handler", func(t *testing.T) { run(t, "", svc.ClientOptions{Handler: handler}) })
}

// Verify that streams come whole, that their errors come, and that leaving a loop, or
// the end of ctx, ends the method.
func TestClientStream(t *testing.T) {
	p, handler := newParts()
	eachProtocol(t, handler, func(t *testing.T, baseURL string, opts svc.ClientOptions) {
		client := connectParts(t, baseURL, opts)
		many := rounds(10_000, 100_000)
		items, err := takeParts(client, context.Background(), many, -1)
		if items != many || err != nil || <-p.ended != nil {
			t.Errorf("%d items, %v", items, err)
		}
		p.err = svc.Errorf(svc.CodeAborted, "no more").WithDetail("at", 3)
		items, err = takeParts(client, context.Background(), 3, -1)
		if items != 3 || fmt.Sprint(err) != "ABORTED: no more" || svc.ErrorFrom(err).Details["at"] != 3.0 {
			t.Errorf("%d items, %v", items, err)
		}
		<-p.ended
		p.err = nil
		if _, err := client.Count(context.Background(), &Counting{To: -1}); fmt.Sprint(err) != "OUT_OF_RANGE: below zero" {
			t.Error(err)
		}
		if items, err = takeParts(client, context.Background(), 1<<30, 5); items != 5 || err != nil {
			t.Errorf("%d items, %v", items, err)
		}
		if cause := <-p.ended; cause == nil {
			t.Error("the method did not learn that its client has left")
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stream, err := client.Count(ctx, &Counting{To: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		for _, err = range stream {
			cancel()
		}
		if svc.CodeOf(err) != svc.CodeCanceled || !errors.Is(err, context.Canceled) || <-p.ended == nil {
			t.Errorf("after cancel: %v", err)
		}
		for _, err = range stream {
		}
		if svc.CodeOf(err) != svc.CodeFailedPrecondition {
			t.Errorf("the second loop: %v", err)
		}
		if one, err := client.One(context.Background()); err != nil || one.ID != "only" {
			t.Errorf("a stream of one: %v, %v", one, err)
		}
	})
}

// takeParts returns how many items of a stream of n came, up to most, and its error.
func takeParts(client *partsClient, ctx context.Context, n, most int) (items int, err error) {
	stream, err := client.Count(ctx, &Counting{To: n})
	if err != nil {
		return 0, err
	}
	for item, err := range stream {
		if err != nil {
			return items, err
		}
		if item.ID != fmt.Sprint(items) {
			return items, fmt.Errorf("item %d is %+v", items, item)
		}
		if items++; items == most {
			break
		}
	}
	return items, nil
}

// Verify what clients make of streams that no service writes.
func TestClientForeignStreams(t *testing.T) {
	for _, test := range []struct {
		name, contentType, body string
		want                    string // the items, then the error
		only                    string // what a method of one item gets; "" for the same error
	}{
		{"cut", "text/event-stream", "data: {\"id\":\"1\"}\n\n", "1 UNAVAILABLE: the response was cut: unexpected EOF", ""},
		{"cut in an event", "text/event-stream", "data: {\"id\":\"1\"}\n\nevent: done\ndata: {}\n", "1 UNAVAILABLE: the response was cut: unexpected EOF", ""},
		{"empty", "text/event-stream", "", "UNAVAILABLE: the response was cut: unexpected EOF", ""},
		{"done", "text/event-stream; charset=utf-8", ":\n\nid: 1\r\nevent: added\r\ndata:{\"id\":\r\ndata: \"1\"}\r\n\r\nevent: done\ndata: {}\n\n", "1 ", "1 "},
		{"two items", "text/event-stream", "data: {\"id\":\"1\"}\n\ndata: {\"id\":\"2\"}\n\nevent: done\ndata: {}\n\n", "1 2 ", "INTERNAL: expected exactly one item in the response"},
		{"after done", "text/event-stream", "event: done\ndata: {}\n\ndata: {\"id\":\"1\"}\n\n", "", "INTERNAL: expected exactly one item in the response"},
		{"error", "text/event-stream", "event: error\ndata: {\"error\":{\"code\":\"ABORTED\",\"message\":\"m\"}}\n\n", "ABORTED: m", ""},
		{"another error", "text/event-stream", "event: error\ndata: <html>\n\n", "INTERNAL: the stream ended with an error that is not from the service", ""},
		{"another type", "text/event-stream", "data: {\"id\":1}\n\n", "INTERNAL: the response does not match the type of the output: /id must be a string, is a number", ""},
		{"too large", "text/event-stream", "data: {\"id\":\"" + strings.Repeat("x", 3000) + "\"}\n\n", "INTERNAL: the response has more than 2000 bytes, the limit of the client: the body is larger than ClientOptions.MaxBody", ""},
		{"JSON", "application/json", `{"id":"1"}`, "INTERNAL: the Content-Type of the response is not text/event-stream", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := connectParts(t, "", svc.ClientOptions{MaxBody: 2000, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				io.WriteString(w, test.body)
			})})
			stream, err := client.Count(context.Background(), &Counting{To: 1})
			got := ""
			if err != nil {
				got, stream = err.Error(), func(func(*Widget, error) bool) {}
			}
			for item, err := range stream {
				if err != nil {
					got += err.Error()
					continue
				}
				got += item.ID + " "
			}
			if got != test.want {
				t.Errorf("%s: got %q, want %q", test.name, got, test.want)
			}
			if out, err := client.One(context.Background()); err != nil {
				got = err.Error()
			} else {
				got = out.ID + " "
			}
			if want := cmp.Or(test.only, strings.TrimPrefix(test.want, "1 ")); got != want {
				t.Errorf("%s: a method of one item got %q, want %q", test.name, got, want)
			}
		})
	}
}

// Verify that a handler in the place of the network that panics cuts its answer, and
// so does one whose goroutine ends, as by t.FailNow.
func TestClientHandlerPanics(t *testing.T) {
	for _, want := range []string{"UNAVAILABLE: the server did not answer: ", "UNAVAILABLE: the response was cut: unexpected EOF"} {
		for _, end := range []func(){func() { panic("this is in the log") }, func() { panic(http.ErrAbortHandler) }, runtime.Goexit} {
			client := connectParts(t, "", svc.ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(want, "cut") {
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, "{")
					w.(http.Flusher).Flush()
				}
				end()
			})})
			if _, err := client.Update(context.Background(), &WidgetIn{ID: "1"}); !strings.HasPrefix(fmt.Sprint(err), want) {
				t.Errorf("want %q, got %v", want, err)
			}
		}
	}
}

var clientFailures = flag.Int("client.failures", 0, "how many calls TestClientLeaksNothing makes; 0 means 300, or 1,000 for many rounds")

// Verify that many failures of all kinds leave no connection open. TestMain looks for
// goroutines. interop/client/check makes 10,000 calls.
func TestClientLeaksNothing(t *testing.T) {
	n := cmp.Or(*clientFailures, rounds(300, 1000))
	var open atomic.Int64
	p, handler := newParts()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Wait") {
		case "1ns":
			w.WriteHeader(502)
			io.WriteString(w, "<html>")
		case "2ns":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "{")
			panic(http.ErrAbortHandler)
		case "3ns":
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"id":1}`+strings.Repeat(" ", 3000))
		case "4ns":
			panic(http.ErrAbortHandler)
		default:
			handler.ServeHTTP(w, r)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	h := newHTTPClient(t)
	client := connectParts(t, server.URL, svc.ClientOptions{HTTPClient: h, MaxBody: 2000})
	for i := range n {
		var err error
		switch i % 6 {
		case 0:
			_, err = takeParts(client, context.Background(), 1<<30, 1)
			<-p.ended
		case 5:
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_, err = client.Update(ctx, &WidgetIn{ID: "1"})
		default:
			_, err = client.Update(context.Background(), &WidgetIn{ID: "1", Wait: time.Duration(i % 6)})
		}
		if (err == nil) != (i%6 == 0) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	h.CloseIdleConnections()
	server.Close() // waits for connections that are not idle
	for deadline := time.Now().Add(10 * time.Second); open.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are open", open.Load())
		}
	}
}

// Verify that a connection is used again after answers, errors and whole streams.
func TestClientReusesConnections(t *testing.T) {
	p, handler := newParts()
	var dials atomic.Int64
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dials.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := connectParts(t, server.URL, svc.ClientOptions{HTTPClient: newHTTPClient(t)})
	for range 20 {
		client.Update(context.Background(), &WidgetIn{ID: "1"})
		client.Delete(context.Background(), &WidgetID{"1"})
		p.err = svc.Errorf(svc.CodeAborted, "x")
		client.Delete(context.Background(), &WidgetID{"1"})
		p.err = nil
		takeParts(client, context.Background(), 3, -1)
		<-p.ended
	}
	if n := dials.Load(); n > 3 {
		t.Errorf("%d connections for calls one after the other", n)
	}
}

// A notServedAPI has a method that no client calls.
type notServedAPI interface {
	Get(context.Context, *WidgetID) (*Widget, error)
	Hide(context.Context) error
	Show(context.Context) (*onlyWritten, error)
}

// A twoGetsAPI has routes only by its options.
type twoGetsAPI interface {
	Get(context.Context, *WidgetID) error
	GetPart(context.Context, *WidgetID) error
}

// onlyWritten has JSON that nobody can read back.
type onlyWritten struct{ At written }

type written struct{}

func (written) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

// Verify that Connect says every mistake, each with what would be right.
func TestClientMistakes(t *testing.T) {
	var out bytes.Buffer
	say := func(what string, err error) { fmt.Fprintf(&out, "== %s\n%v\n", what, err) }
	say("no interface", svc.Connect[parts](new(partsClient), "http://x", nil))
	say("no struct", svc.Connect[WidgetAPI](new(int), "http://x", nil))
	say("nil", svc.Connect[WidgetAPI]((*partsClient)(nil), "http://x", nil))
	say("no fields", svc.Connect[WidgetAPI](new(struct{}), "http://x", nil))
	var fields struct {
		Count  func(context.Context) error
		DELETE func(context.Context, *WidgetID) error
		Remove func(context.Context, *WidgetID) error
		mu     int
		_      int
	}
	say("fields", svc.Connect[WidgetAPI](&fields, "http://x", nil))
	for _, u := range []string{"", "todos.example", "ftp://todos.example", "http://", "http://x/a?b", "http://x/#f", "http://x/a//b", "http://x/../b", "http://x:port", "mailto:x", "http://ada:secret@x?b", "http://ada:se%cret@x"} {
		say("URL "+u, svc.Connect[WidgetAPI](new(partsClient), u, nil))
	}
	_, handler := newParts()
	say("two ways", svc.Connect[WidgetAPI](new(partsClient), "http://x", &svc.ClientOptions{Handler: handler, HTTPClient: http.DefaultClient}))
	var hidden struct {
		Hide func(context.Context) error
		Show func(context.Context) (*onlyWritten, error)
	}
	opts := &svc.Options{Methods: map[string]svc.MethodOptions{"Hide": {Transports: []svc.Transport{svc.TransportRPC}}, "Nothing": {}}}
	say("mistakes of the service", svc.Connect[notServedAPI](&hidden, "http://x", &svc.ClientOptions{Service: opts}))
	say("no options", svc.Connect[twoGetsAPI](new(struct {
		Gett func(context.Context, *WidgetID) error
	}), "http://x", nil))
	delete(opts.Methods, "Nothing")
	say("what no client can call", svc.Connect[notServedAPI](&hidden, "http://x", &svc.ClientOptions{Service: opts}))
	if hidden.Hide != nil || fields.DELETE != nil || fields.mu != 0 {
		t.Error("a field was set in spite of mistakes")
	}
	golden(t, "client/mistakes.txt", out.Bytes())
}

// Verify that the path of the URL comes before that of the route.
func TestClientBasePath(t *testing.T) {
	p := &parts{}
	service := svc.MustRegister[WidgetAPI](p, partsOptions()).At("/v1")
	for _, base := range []string{"http://x/v1", "http://x/v1/", "/v1", "/v1/"} {
		client := connectParts(t, base, svc.ClientOptions{Handler: service.REST()})
		if err := client.Delete(context.Background(), &WidgetID{"%2F/é"}); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// Verify that a handler sees the same requests with and without a network.
func TestClientRequest(t *testing.T) {
	_, handler := newParts()
	var seen, first []string
	eachProtocol(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprintf("%s %s %#v %d %t", r.Method, r.RequestURI, r.URL, r.ContentLength, r.Body == http.NoBody || r.ProtoMajor == 2 && r.ContentLength == 0))
		handler.ServeHTTP(w, r)
	}), func(t *testing.T, baseURL string, opts svc.ClientOptions) {
		seen = nil
		client := connectParts(t, baseURL, opts)
		for _, id := range []string{"1", "a b", "é", "%2F/", "a,b;c"} {
			client.Delete(context.Background(), &WidgetID{id})
			client.Update(context.Background(), &WidgetIn{ID: id})
		}
		if first == nil {
			first = seen
		}
		if len(seen) != 10 || !slices.Equal(seen, first) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(first, "\n"))
		}
	})
}

// FuzzClientResponse calls a method whose answer is any bytes: an output comes from a
// JSON object alone, and every other answer is an *Error that has none of its text.
func FuzzClientResponse(f *testing.F) {
	f.Add(200, "application/json", `{"id":"1"}`)
	f.Add(404, "application/json", `{"error":{"code":"NOT_FOUND","message":"m","details":{"violations":[{"in":"body"}]}}}`)
	f.Add(400, "application/problem+json", `{"code":"ABORTED","detail":"m","details":{}}`)
	f.Add(502, "text/html", "<html>")
	f.Add(200, "text/event-stream", "data: {}\n\n")
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		if status < 200 || status > 999 {
			return
		}
		transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		client := connectParts(t, "http://x", svc.ClientOptions{HTTPClient: &http.Client{Transport: transport}, MaxBody: 1 << 16})
		out, err := client.Update(context.Background(), &WidgetIn{ID: "1"})
		var e *svc.Error
		switch {
		case (out == nil) != (err != nil):
			t.Fatalf("both or neither: %v, %v", out, err)
		case err == nil && (status/100 != 2 || json.Unmarshal([]byte(body), new(map[string]any)) != nil):
			t.Fatalf("status %d, %q gave %+v", status, body, out)
		case err != nil && (!errors.As(err, &e) || e.Code == svc.CodeOK || e.Code == ""):
			t.Fatalf("the error %v", err)
		}
		var tail svc.Stream[Widget]
		if tail, err = client.Count(context.Background(), &Counting{}); err != nil {
			return
		}
		ends := 0
		for item, err := range tail {
			if (item == nil) != (err != nil) || ends > 0 {
				t.Fatalf("%v, %v after %d ends", item, err, ends)
			}
			if err != nil {
				ends++
			}
		}
	})
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// BenchmarkClient measures calls beside the same by hand, without a network: what
// counts is the difference, above all in allocations.
func BenchmarkClient(b *testing.B) {
	answer := []byte(`{"id":"todo-17","title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3,"completed":false,"createdAt":"2026-03-01T09:30:00.123456Z"}`)
	transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			io.Copy(io.Discard, r.Body)
		}
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)), Request: r}, nil
	})
	h := &http.Client{Transport: transport}
	var client struct {
		Create func(context.Context, *BenchCreate) (*BenchTodo, error)
		Get    func(context.Context, *BenchGet) (*BenchTodo, error)
	}
	if err := svc.Connect[BenchAPI](&client, "http://x", &svc.ClientOptions{Service: &svc.Options{Resource: "todos"}, HTTPClient: h}); err != nil {
		b.Fatal(err)
	}
	create := &BenchCreate{Title: "Water the plants", Description: "The ones on the balcony too.", Tags: []string{"home", "plants"}, Priority: 3}
	get := &BenchGet{ID: "todo-17", Lang: "en", Depth: 2, Expand: true}
	ctx := context.Background()
	byHand := func(method, target string, body io.Reader) (*BenchTodo, error) {
		r, err := http.NewRequestWithContext(ctx, method, target, body)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Accept", "application/json")
		if body != nil {
			r.Header.Set("Content-Type", "application/json")
		}
		response, err := h.Do(r)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != 200 {
			return nil, errors.New(response.Status)
		}
		out := new(BenchTodo)
		return out, json.Unmarshal(text, out)
	}
	for _, bench := range []struct {
		name string
		call func() (*BenchTodo, error)
	}{
		{"create/connect", func() (*BenchTodo, error) { return client.Create(ctx, create) }},
		{"create/by hand", func() (*BenchTodo, error) {
			body, err := json.Marshal(create)
			if err != nil {
				return nil, err
			}
			return byHand("POST", "http://x/todos", bytes.NewReader(body))
		}},
		{"get/connect", func() (*BenchTodo, error) { return client.Get(ctx, get) }},
		{"get/by hand", func() (*BenchTodo, error) {
			q := url.Values{"lang": {get.Lang}, "depth": {fmt.Sprint(get.Depth)}, "expand": {fmt.Sprint(get.Expand)}}
			return byHand("GET", "http://x/todos/"+url.PathEscape(get.ID)+"?"+q.Encode(), nil)
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out, err := bench.call(); err != nil || out.Priority != 3 {
					b.Fatal(out, err)
				}
			}
		})
	}
}

// Verify that what an error of a server makes a client allocate is a small multiple of
// the body, whatever its details are, and that details of up to 64 KiB arrive.
func TestClientHostileErrors(t *testing.T) {
	var body string
	client := connectParts(t, "", svc.ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(409)
		io.WriteString(w, body)
	})})
	const before, after = `{"error":{"code":"ABORTED","message":"later","details":`, `}}`
	const size, most = 3 << 20, 16 << 20
	for _, details := range []string{
		`{"violations":[` + strings.Repeat(`{},`, size/3) + `{}]}`,
		`{"list":[` + strings.Repeat(`[],`, size/3) + `0]}`,
		`{"` + strings.Repeat(`x`, 64<<10) + `":1}`,
	} {
		body = before + details + after
		var m1, m2 runtime.MemStats
		runtime.ReadMemStats(&m1)
		_, err := client.One(context.Background())
		runtime.ReadMemStats(&m2)
		e := svc.ErrorFrom(err)
		if used := m2.TotalAlloc - m1.TotalAlloc; used > most || e.Code != svc.CodeAborted || e.Message != "later" || e.Details != nil {
			t.Errorf("details %.20s…: %d bytes for %d, code %s, message %.100s, %d details", details, used, len(body), e.Code, e.Message, len(e.Details))
		}
	}
	text := strings.Repeat("x", 64<<10-len(`{"text":""}`))
	body = before + `{"text":"` + text + `"}` + after
	_, err := client.One(context.Background())
	if got := svc.ErrorFrom(err).Details["text"]; got != text {
		t.Errorf("details of 64 KiB: %.100v", err)
	}
}

// Verify that a loop over a stream ends at the event done, although the server goes on.
func TestClientDone(t *testing.T) {
	ended := make(chan struct{})
	client := connectParts(t, "", svc.ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: done\ndata: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	})})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stream, err := client.Count(ctx, &Counting{To: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range stream {
		t.Error(err)
	}
	if ctx.Err() != nil {
		t.Error("the loop waited for the end of the body")
	}
	<-ended
	if ctx.Err() != nil {
		t.Error("the handler was not told that its client had left")
	}
}
