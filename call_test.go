package svc

// This file has a small transport, which CONTRIBUTING.md takes as its example, and its test.

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const transportLine Transport = "line"

// lines returns a handler that serves every method as lines of text: POST /todos.get with
// the line {"id":"7"} responds with the line {"id":"7","title":"Milk"}.
func (s *Service) lines() http.Handler {
	return &lineHandler{endpoint: s.newEndpoint(transportLine), methods: s.namesOn(transportLine)}
}

// A lineHandler serves all methods of a service.
type lineHandler struct {
	endpoint
	methods map[string]*method // by resource.name
}

func (h *lineHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond makes the call. It returns an error if there is none to make.
func (h *lineHandler) respond(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	m := h.methods[strings.TrimPrefix(r.URL.Path, "/")]
	if m == nil {
		return leaveWith(w, r, httpError(http.StatusNotFound, CodeUnimplemented, "there is no such method"))
	}
	c := &lineCall{call{Context: r.Context(), endpoint: &h.endpoint, method: m, request: r, response: w.Header(), ws: ws}}
	err := c.run(c)
	c.end(c, err)
	if err != nil {
		if c.refused {
			leaveBody(w, r)
		}
		h.writeErrorResponse(w, r, err)
		return nil
	}
	c.markReplayed(w.Header())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write(append(ws.enc.buf, '\n'))
	return nil
}

// A lineCall is the carrier of one request.
type lineCall struct{ call }

func (c *lineCall) readInput() (in any, err error) {
	ws := c.ws
	if err := checkSite(ws.writer, c.request); err != nil {
		return nil, err
	}
	if ws.body, err = c.endpoint.limits.readBody(ws.writer, c.request, ws.body[:0], false); err != nil {
		return nil, err
	}
	if c.method.key != nil {
		c.readKey(&ws.dec, "/"+keyHeader, c.request.Header[keyHeader])
	}
	return c.bindObject(ws.body, nil, nil)
}

func (c *lineCall) encodeOutput(out any) (err error) {
	enc := &c.ws.enc
	enc.buf = enc.buf[:0]
	if c.method.out != nil {
		enc.buf, err = appendRecord(enc, enc.buf, out, c.method.encode)
	}
	return err
}

func (c *lineCall) httpStatus(err error) int {
	if err != nil {
		return ErrorFrom(err).HTTPStatus()
	}
	return http.StatusOK
}

type lineAPI interface {
	Get(context.Context, *lineTodo) (*lineTodo, error)
	Clear(context.Context) error
	Watch(context.Context) (Stream[lineTodo], error)
}

type lineTodo struct {
	ID    string `json:"id" maxLength:"5"`
	Title string `json:"title,omitempty" default:"Milk"`
}

type lineImpl struct{}

func (lineImpl) Get(_ context.Context, in *lineTodo) (*lineTodo, error) {
	if in.ID == "0" {
		return nil, Errorf(CodeNotFound, "no such todo")
	}
	return in, nil
}
func (lineImpl) Clear(context.Context) error                     { return errors.New("the disk is full") }
func (lineImpl) Watch(context.Context) (Stream[lineTodo], error) { return nil, nil }

// Verify that a transport needs no more than a handler and a carrier: calls have all their
// steps, and methods that it cannot carry are not served.
func TestTransport(t *testing.T) {
	var seen Observation
	s := MustRegister[lineAPI](lineImpl{}, &Options{Resource: "todos", Observe: func(_ context.Context, o Observation) { seen = o }, Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		path, line string
		status     int
		want       string
	}{
		{"/todos.get", `{"id":"7"}`, 200, `{"id":"7","title":"Milk"}`},
		{"/todos.get", `{"id":"0"}`, 404, "no such todo"},
		{"/todos.get", `{"id":"123456"}`, 400, "maxLength"},
		{"/todos.get", `{"id":`, 400, "syntax"},
		{"/todos.get", ``, 400, "/id is required"},
		{"/todos.clear", ``, 500, "internal error"},
		{"/todos.watch", ``, 404, "there is no such method"},
	} {
		t.Run(test.path+" "+test.line, func(t *testing.T) {
			seen = Observation{}
			w := httptest.NewRecorder()
			s.lines().ServeHTTP(w, httptest.NewRequest("POST", test.path, strings.NewReader(test.line)))
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, test.status, test.want)
			}
			if test.path != "/todos.watch" && (seen.Transport != transportLine || seen.Status != test.status) {
				t.Errorf("observed %+v, want the status %d", seen, test.status)
			}
		})
	}
}
