package svc

// This file serves methods over REST: one HTTP route each.
//
// This file serves methods with more than one output over REST: as server-sent
// events, from the moment that the method has returned without an error.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A Route is one HTTP route of a service, for routers other than
// http.ServeMux. The handler finds the values of placeholders by
// http.Request.PathValue.
type Route struct {
	Method   string // of HTTP
	Path     string // with placeholders, as in "/todos/{id}"
	Resource string
	Name     string // Method.Name
	Handler  http.Handler
}

// Routes returns the routes without mounting them, in the order of the methods'
// Go names.
func (s *Service) Routes() []Route {
	routes := make([]Route, len(s.methods))
	for i, m := range s.methods {
		routes[i] = Route{
			Method:   m.method,
			Path:     s.prefix + m.path,
			Resource: m.resource,
			Name:     m.name,
			Handler:  &restHandler{endpoint{config: m.config, service: s, transport: TransportREST, only: m}},
		}
	}
	return routes
}

// Mount puts every route on mux. Requests that match none of them are mux's
// business. It panics if a route clashes with one that is there, and says with
// which method, if it is one of svc's.
func (s *Service) Mount(mux *http.ServeMux) {
	for _, r := range s.Routes() {
		mountRoute(mux, r)
	}
}

func mountRoute(mux *http.ServeMux, r Route) {
	defer func() {
		if v := recover(); v != nil {
			text := "svc: cannot mount " + r.Resource + "." + r.Name
			if other := mountedOn(mux, r); other != nil {
				text += ", since " + other.resource + "." + other.name + " is on the same path"
			}
			panic(text + ": " + toText(v))
		}
	}()
	mux.Handle(r.Method+" "+r.Path, r.Handler)
}

func toText(v any) string {
	if err, ok := v.(error); ok {
		return err.Error()
	}
	text, _ := v.(string)
	return text
}

// mountedOn returns the method that answers requests for r on mux, or nil.
func mountedOn(mux *http.ServeMux, r Route) *method {
	path := strings.NewReplacer("{", "", "}", "").Replace(r.Path) // placeholders match their own names
	req, err := http.NewRequest(r.Method, path, nil)
	if err != nil {
		return nil
	}
	if h, ok := firstHandler(mux, req).(*restHandler); ok {
		return h.only
	}
	return nil
}

func firstHandler(mux *http.ServeMux, r *http.Request) http.Handler {
	h, _ := mux.Handler(r)
	return h
}

// REST returns a handler with every route on a mux of its own, which answers
// 404 and 405 with the envelope. It never redirects: a path that is not clean
// is not found.
func (s *Service) REST() http.Handler {
	h := &restMux{endpoint: s.endpoint(TransportREST), mux: http.NewServeMux()}
	s.Mount(h.mux)
	h.mux.Handle("/", http.HandlerFunc(h.serveNoRoute))
	return h
}

// A restMux serves all routes of a service.
type restMux struct {
	endpoint
	mux *http.ServeMux
}

func (h *restMux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || !isClean(r.URL) {
		h.serveNoRoute(w, r) // the mux would redirect
		return
	}
	h.mux.ServeHTTP(w, r)
}

// isClean reports whether a path has neither empty nor dot segments. An escaped
// dot or slash is a character of its segment. Where a path also has characters
// that ought to be escaped, net/url escapes it anew and takes every slash for a
// separator; it is not clean if that moves a value into another segment.
func isClean(u *url.URL) bool {
	path := u.Path
	if u.RawPath != "" {
		path = u.EscapedPath()
		if strings.Count(path, "/") != strings.Count(u.RawPath, "/") {
			return false
		}
	}
	if path == "" || path[0] != '/' {
		return false
	}
	for i := 1; i < len(path); i++ {
		if path[i-1] == '/' && !isCleanSegment(path[i:]) {
			return false
		}
	}
	return true
}

// isCleanSegment reports whether the segment that begins a path is neither
// empty nor made of dots.
func isCleanSegment(path string) bool {
	if path[0] != '.' && path[0] != '/' {
		return true
	}
	segment, _, _ := strings.Cut(path, "/")
	return segment != "" && segment != "." && segment != ".."
}

// serveNoRoute answers a request that no route matches.
func (h *restMux) serveNoRoute(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond returns the error for a request that no route matches: 405 if one
// would with another method, else 404.
func (h *restMux) respond(w http.ResponseWriter, r *http.Request, _ *workspace) error {
	leaveBody(w, r)
	var allowed []string
	if isClean(r.URL) {
		allowed = h.allowed(r)
	}
	if len(allowed) == 0 {
		return httpError(http.StatusNotFound, CodeNotFound, "there is nothing at this path")
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: %s", strings.Join(allowed, ", "))
}

// allowed returns the methods that routes have for the path of r.
func (h *restMux) allowed(r *http.Request) []string {
	var allowed []string
	for _, method := range [...]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, ok := firstHandler(h.mux, &other).(*restHandler); ok {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// A restHandler serves one method. The outcome of a call decides the response:
//
//	Outcome    Status                 Content-Type
//	---------  ---------------------  -----------------
//	*Out       200 OK                 application/json
//	no output  204 No Content         none
//	a stream   200 OK                 text/event-stream
//	an error   of its Code            application/json
type restHandler struct{ endpoint }

var (
	_ http.Handler = (*restHandler)(nil)
	_ http.Handler = (*restMux)(nil)
)

func (h *restHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond calls the method and answers with what it returned.
func (h *restHandler) respond(w http.ResponseWriter, r *http.Request, sc *workspace) error {
	m := h.only
	if m.stream != "" {
		return h.serveStream(w, r, sc)
	}
	ctx := &callContext{r.Context(), h.info(w, r)}
	in, err := h.input(ctx, w, r, sc)
	if err != nil {
		return err
	}
	out, err := m.invoke(ctx, in)
	if err != nil {
		return err
	}
	if m.out == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if sc.enc.buf, err = m.appendOutput(&sc.enc, sc.enc.buf[:0], out); err != nil {
		return err
	}
	writeJSON(w, r, sc.enc.buf)
	return nil
}

func (h *restHandler) info(w http.ResponseWriter, r *http.Request) Info {
	return Info{Transport: TransportREST, Resource: h.only.resource, Method: h.only.name, Request: r, Header: w.Header()}
}

// input returns the method's input, or nil if it takes none.
func (h *restHandler) input(ctx context.Context, w http.ResponseWriter, r *http.Request, sc *workspace) (in any, err error) {
	m := h.only
	if m.bind == nil || m.bind.body == nil {
		err = m.limits.discardBody(w, r)
	} else if err = checkContentType(w, r); err == nil {
		sc.body, err = m.limits.readBody(w, r, sc.body[:0])
	}
	if err != nil || m.bind == nil {
		return nil, err
	}
	defer func() { // Validate and UnmarshalJSON are the application's
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	sc.dec.lean = m.onError == nil // an application's handler looks into Details
	v, err := m.bind.bindRequest(&sc.dec, requestValues{r, r.URL.RawQuery, r.Header, sc.body})
	return v.Interface(), err
}

// writeRefusal answers with err by Options.OnError.
func (h *restHandler) writeRefusal(w http.ResponseWriter, r *http.Request, err error) {
	respondError(w, r, err, h.onError)
}

// writeRefusal answers with err by Options.OnError.
func (h *restMux) writeRefusal(w http.ResponseWriter, r *http.Request, err error) {
	respondError(w, r, err, h.onError)
}

// The names of the events that end a stream.
const (
	eventDone  = "done"
	eventError = "error"
)

// serveStream answers with a stream, or returns the error to answer with in its
// place.
func (h *restHandler) serveStream(w http.ResponseWriter, r *http.Request, sc *workspace) error {
	m := h.only
	ctx, cancel := context.WithCancelCause(&callContext{r.Context(), h.info(w, r)})
	defer cancel(nil)
	in, err := h.input(ctx, w, r, sc)
	if err != nil {
		return err
	}
	out, err := m.invoke(ctx, in)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		setEventHeader(w.Header())
		w.WriteHeader(http.StatusOK)
		if err := m.discardStream(cancel, out); err != nil {
			h.logError(ctx, r, err, m)
		}
		return nil
	}
	events, err := startEvents(w, m.eventTimes, cancel)
	if err != nil {
		return errors.Join(err, m.discardStream(cancel, out))
	}
	defer events.close()
	if err := m.sendItems(ctx, cancel, events, sc, out); err != nil {
		h.logEnd(ctx, r, err)
		events.sendEvent(&Event{Name: eventError}, appendEnvelope(nil, ErrorFrom(err))) // OnError writes whole responses
	}
	return nil
}

// logEnd logs the error that ended a stream. ctx says whether its client has
// gone, unless it was the error that has canceled ctx.
func (h *restHandler) logEnd(ctx context.Context, r *http.Request, err error) {
	if errors.Is(context.Cause(ctx), err) {
		ctx = r.Context()
	}
	h.logError(ctx, r, err, h.only)
}

// sendItems sends each item of what the method returned, and that there are no
// more. A stream that ends because its ctx is canceled has not come to its end.
func (m *method) sendItems(ctx context.Context, cancel context.CancelCauseFunc, events *eventStream, sc *workspace, out any) error {
	err := m.eachItem(cancel, out, func(item any) (err error) {
		if sc.enc.buf, err = m.appendOutput(&sc.enc, sc.enc.buf[:0], item); err != nil {
			return err
		}
		e, err := eventOf(item)
		if err != nil {
			return err
		}
		return sendError(events.sendEvent(&e, sc.enc.buf))
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ErrorFrom(ctx.Err()).WithCause(context.Cause(ctx))
	}
	// Without data clients would drop the event.
	return sendError(events.sendEvent(&Event{Name: eventDone}, []byte("{}")))
}

// sendError returns the error of a stream that ended because err kept an event
// from its client: it has gone, or no longer reads.
func sendError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeCanceled, cause: fmt.Errorf("sending an event: %w", err)}
}

// eventOf returns what the event of an item has beside its data.
func eventOf(item any) (Event, error) {
	t, ok := item.(interface{ SSE() Event })
	if !ok {
		return Event{}, nil
	}
	e := t.SSE()
	if e.Name == eventDone || e.Name == eventError {
		return e, fmt.Errorf("an item has the event name %q, which ends a stream", e.Name)
	}
	return e, e.checkFields()
}
