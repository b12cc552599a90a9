package svc

// This file has a small transport, which CONTRIBUTING.md takes as its example, and its test. Its
// names begin with text. A copy must have other names, since tests are in the package.

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const transportText Transport = "text"

// text returns a handler that serves methods as plain JSON: POST /todos.get with the body
// {"id":"7"} responds with {"id":"7","title":"Milk"}. It has no row in transports, so it takes
// the methods of JSON-RPC. One that has a row passes its own name to namesOn.
func (s *Service) text() http.Handler {
	return &textHandler{endpoint: s.newEndpoint(transportText), methods: s.namesOn(TransportRPC)}
}

// A textHandler serves all methods of a service.
type textHandler struct {
	endpoint
	methods map[string]*method // by resource.name
}

func (h *textHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond makes the call. It returns an error if there is none to make.
func (h *textHandler) respond(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	if r.Method != http.MethodPost {
		return notAllowed(http.MethodPost)
	}
	if err := checkJSON(w, r); err != nil {
		return err
	}
	m := h.methods[strings.TrimPrefix(r.URL.Path, "/")]
	if m == nil {
		return httpError(http.StatusNotFound, CodeUnimplemented, "there is no such method")
	}
	c := &textCall{call{Context: r.Context(), endpoint: &h.endpoint, method: m, request: r, response: w.Header(), ws: ws}}
	err := c.run(c)
	c.end(c, err)
	if err != nil {
		h.writeErrorResponse(w, r, err)
		return nil
	}
	c.markReplayed(w.Header())
	writeJSON(w, r, http.StatusOK, ws.enc.buf, new(headerValues))
	return nil
}

func (h *textHandler) writeErrorResponse(w http.ResponseWriter, r *http.Request, err error) {
	WriteError(w, r, err)
}

// A textCall is the carrier of one request.
type textCall struct{ call }

func (c *textCall) readText() error { return c.ws.readBody(c.request, c.endpoint.limits, keepAll) }

func (c *textCall) bindInput() (any, error) {
	if c.method.key != nil {
		c.readKey(&c.ws.dec, "/"+keyHeader, c.request.Header[keyHeader])
	}
	return c.bindObject(c.ws.body, nil, nil)
}

func (c *textCall) encodeOutput(out any) (err error) {
	enc := &c.ws.enc
	if c.method.out == nil {
		enc.buf = append(enc.buf, "null"...)
		return nil
	}
	enc.buf, err = appendRecord(enc, enc.buf, out, c.method.encode)
	return err
}

// runStream responds with all items of the stream at once: {"items":[…]}.
func (c *textCall) runStream(_ context.Context, cancel context.CancelCauseFunc, stream any) error {
	return c.collect(cancel, stream, nil)
}

func (c *textCall) httpStatus(err error) int {
	if err != nil {
		return ErrorFrom(err).HTTPStatus()
	}
	return http.StatusOK
}

type textAPI interface {
	Get(context.Context, *textTodo) (*textTodo, error)
	Clear(context.Context) error
	Empty(context.Context) error
	Watch(context.Context) (Stream[textTodo], error)
	Upload(context.Context, *struct{ A Body }) error
}

type textTodo struct {
	ID    string `json:"id" maxLength:"5"`
	Title string `json:"title,omitempty" default:"Milk"`
}

type textImpl struct{}

func (textImpl) Get(_ context.Context, in *textTodo) (*textTodo, error) {
	if in.ID == "0" {
		return nil, Errorf(CodeNotFound, "no such todo")
	}
	return in, nil
}
func (textImpl) Clear(context.Context) error                     { return errors.New("the disk is full") }
func (textImpl) Empty(context.Context) error                     { return nil }
func (textImpl) Upload(context.Context, *struct{ A Body }) error { return nil }
func (textImpl) Watch(context.Context) (Stream[textTodo], error) {
	return func(yield func(*textTodo, error) bool) {
		_ = yield(&textTodo{ID: "1"}, nil) && yield(&textTodo{ID: "2"}, nil)
	}, nil
}

// Verify that the calls of a transport count for Options.MaxConcurrent, without a word about it in
// the transport.
func TestTransportBusy(t *testing.T) {
	s := MustRegister[textAPI](textImpl{}, &Options{Resource: "todos", MaxConcurrent: 1, Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		busy bool
		want int
	}{{true, 503}, {false, 200}} {
		t.Run(rowName(test.busy), func(t *testing.T) {
			if test.busy {
				s.load.gate.try()
				defer s.load.gate.leave()
			}
			w := httptest.NewRecorder()
			s.text().ServeHTTP(w, httptest.NewRequest("POST", "/todos.empty", nil))
			if w.Code != test.want {
				t.Errorf("%d %s, want %d", w.Code, w.Body, test.want)
			}
		})
	}
}

// Verify that a transport needs no more than a handler and a carrier: calls have all their steps,
// an answer has nothing of the one before, methods that it cannot carry are not served, and no
// page of another site can call.
func TestTransport(t *testing.T) {
	var seen Observation
	var calls int
	observe := func(_ context.Context, o Observation) { seen, calls = o, calls+1 }
	onError := func(http.ResponseWriter, *http.Request, error) { t.Error("OnError is called, which is for REST") }
	s := MustRegister[textAPI](textImpl{}, &Options{Resource: "todos", Observe: observe, OnError: onError,
		Logger: slog.New(slog.DiscardHandler)})
	h := s.text()
	for _, test := range []struct {
		verb, path, body, header string
		status                   int
		want                     string // the body of a success, or a part of it
		called                   bool
	}{
		{"POST", "/todos.get", `{"id":"7"}`, "", 200, `{"id":"7","title":"Milk"}`, true},
		{"POST", "/todos.watch", ``, "", 200, `{"items":[{"id":"1"},{"id":"2"}]}`, true},
		{"POST", "/todos.empty", ``, "", 200, `null`, true},
		{"POST", "/todos.get", `{"id":"0"}`, "", 404, "no such todo", true},
		{"POST", "/todos.get", `{"id":"123456"}`, "", 400, `"path":"/id","rule":"maxLength"`, true},
		{"POST", "/todos.get", `{"id":`, "", 400, "syntax", true},
		{"POST", "/todos.get", ``, "", 400, "/id is required", true},
		{"POST", "/todos.clear", ``, "", 500, "internal error", true},
		{"POST", "/todos.upload", ``, "", 404, "there is no such method", false},
		{"GET", "/todos.clear", ``, "Sec-Fetch-Site: cross-site", 405, "allowed: POST", false},
		{"HEAD", "/todos.clear", ``, "", 405, "allowed: POST", false},
		{"POST", "/todos.clear", ``, "Sec-Fetch-Site: cross-site", 403, "pages of other sites", false},
		{"POST", "/todos.get", `{"id":"7"}`, "Content-Type: text/plain", 415, "must be application/json", false},
		{"POST", "/todos.get", `{"id":"7"}`, "Content-Encoding: gzip", 415, "must not have a Content-Encoding", false},
	} {
		t.Run(rowName(test.verb, test.path, test.body, test.header), func(t *testing.T) {
			seen, calls = Observation{}, 0
			r, w := httptest.NewRequest(test.verb, test.path, strings.NewReader(test.body)), httptest.NewRecorder()
			if name, value, ok := strings.Cut(test.header, ": "); ok {
				r.Header.Set(name, value)
			}
			h.ServeHTTP(w, r)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) || test.status == 200 && w.Body.String() != test.want {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, test.status, test.want)
			}
			if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Content-Length") == "" {
				t.Errorf("the header is %v", w.Header())
			}
			if test.called != (calls == 1) || test.called && (seen.Transport != transportText || seen.Status != test.status) {
				t.Errorf("%d calls, the last one %+v; want one: %t, with the status %d", calls, seen, test.called, test.status)
			}
		})
	}
}
