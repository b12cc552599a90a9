package svc

// This file serves methods over REST: one HTTP route per method. In this order: the routes;
// requests that match no route; requests to a method.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// A Route is one HTTP route of a service, for routers other than [http.ServeMux]. The handler reads
// placeholders by [http.Request.PathValue], so your router must call SetPathValue. The handler does
// not check the verb and the path again. The handler of a GET also answers HEAD (RFC 9110, section
// 9.3.2). A slash at the end of Path stands for itself, which is {$} on a ServeMux, and {path...}
// for all segments to the end.
type Route struct {
	Method   string       // the verb, in capitals
	Path     string       // with the prefix of At and placeholders, as in "/v1/todos/{id}"
	Resource string       // of the method
	Name     string       // Method.Name
	Handler  http.Handler // of this route only
}

// Routes returns the routes without mounting them, in the order of the methods' Go names. Methods
// that REST does not serve are left out.
func (s *Service) Routes() []Route {
	methods := s.methodsOn(TransportREST)
	routes := make([]Route, len(methods))
	for i, m := range methods {
		path := s.prefix + m.path
		h := &restHandler{served: m, vary: m.varies()}
		h.endpoint = endpoint{config: m.config, service: &s.service, transport: TransportREST, limits: m.limits, route: m.verb + " " +
			path, readsErrors: m.onError != nil}
		routes[i] = Route{Method: m.verb, Path: path, Resource: m.resource, Name: m.name, Handler: h}
	}
	return routes
}

// varies returns the request headers on which the response to a read depends, because they set
// fields of its input. A cache must not send the response for one value to a request with a
// different value (RFC 9110, section 12.5.5).
func (m *method) varies() (names []string) {
	if !m.isRead() {
		return nil
	}
	for _, p := range m.bind.parameters(m.route) {
		name := wheres[p.where].carrier
		if p.where == whereHeader {
			name = p.canonical
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Mount registers every route on mux. Requests that match no route are left to mux, which
// answers 404 and 405 as text and redirects unclean paths; [Service.REST] does neither. Mount
// panics if a route clashes with a pattern of mux.
func (s *Service) Mount(mux *http.ServeMux) {
	if mux == nil {
		panic("svc: cannot mount " + s.opts.Name +
			" on nil; give Mount http.DefaultServeMux, or the http.NewServeMux() that the server has")
	}
	for _, r := range s.Routes() {
		mountRoute(mux, r)
	}
}

// mountRoute registers r on mux. The message of mux names only patterns, so the panic says
// first which methods they belong to.
func mountRoute(mux *http.ServeMux, r Route) {
	defer func() {
		if v := recover(); v != nil {
			panic(fmt.Sprintf("svc: cannot mount %s.%s, since %s: %v", r.Resource, r.Name, explainClash(mux, r), v))
		}
	}()
	mux.Handle(muxPattern(r.Method+" "+r.Path), r.Handler)
}

// explainClash returns why r cannot be on mux. It asks mux with a request that both
// patterns match.
func explainClash(mux *http.ServeMux, r Route) string {
	path := strings.NewReplacer("{", "", "}", "").Replace(r.Path) // placeholders match their own names
	req, _ := http.NewRequest(r.Method, path, nil)                // registration has checked the path
	chosen, _ := mux.Handler(req)
	own := r.Handler.(*restHandler)
	switch h, _ := chosen.(*restHandler); {
	case h == nil, h.service == own.service && h.served != own.served:
		return "another handler matches some of its requests; move that, or mount the service under a prefix, as by At(\"/v1\")"
	case h.service == own.service:
		return "the service is on this mux already; mount it once"
	default:
		return fmt.Sprintf("%s.%s of another service is on the same path; give one of them another Resource or Path, or a prefix, as by "+
			"At(\"/v2\")", h.served.resource, h.served.name)
	}
}

// REST returns a handler that serves every route. Requests that match no route get 404, or 405 with
// Allow if a different verb would match (RFC 9110, section 15.5.6). Like all errors, these are
// written by [Options].OnError. REST never redirects, because many clients turn a redirected POST
// into a GET: an unclean path gets 404, or 400 where a placeholder such as {path...} takes it.
//
// A POST that a browser sends for a page of a different origin must have the Content-Type
// application/json, or it gets 403 and the method is not called; doc/origins.md says why.
func (s *Service) REST() http.Handler {
	h := &restMux{endpoint: s.newEndpoint(TransportREST), mux: http.NewServeMux()}
	h.readsErrors = h.onError != nil
	for _, r := range s.Routes() {
		mountRoute(h.mux, r)
		own := r.Handler.(*restHandler)
		route := pathRoute{own, segmentsOf(r.Path)}
		h.routes = append(h.routes, route)
		if own.served.tail {
			h.addTail(route)
		}
		n := strings.Count(r.Path, "/")
		if (own.served.tail || strings.HasSuffix(r.Path, "/")) && !slices.Contains(h.ends, n) {
			h.ends = append(h.ends, n)
		}
	}
	h.mux.Handle("/", http.HandlerFunc(h.serveNoRoute))
	return h
}

// A restMux serves all routes of a service. Its endpoint is for requests that match no route; the
// handler of each route has its own.
type restMux struct {
	endpoint
	mux    *http.ServeMux
	routes []pathRoute
	tails  []pathRoute // of the routes with {name...}, the more specific ones first
	ends   []int       // the numbers of slashes of these routes and of those with a slash at the end
}

// A pathRoute is a route with the segments of its path.
type pathRoute struct {
	*restHandler
	path []segment
}

// addTail adds a route with {name...} to h.tails.
func (h *restMux) addTail(tail pathRoute) {
	i := slices.IndexFunc(h.tails, func(other pathRoute) bool { return losesTo(other.path, tail.path) })
	if i < 0 {
		i = len(h.tails)
	}
	h.tails = slices.Insert(h.tails, i, tail)
}

func (h *restMux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isClean(r.URL) && r.Method != http.MethodConnect && !hasSlashSegment(r.URL) && (h.ends == nil || !h.mayRedirect(r.URL) || h.hasRoute(r)) {
		h.mux.ServeHTTP(w, r)
	} else {
		h.serveBeside(w, r)
	}
}

// serveBeside responds to a request that mux redirects or takes for another one.
func (h *restMux) serveBeside(w http.ResponseWriter, r *http.Request) {
	own, values := h.besideMux(r)
	if own == nil {
		h.serveNoRoute(w, r)
		return
	}
	for i, name := range own.served.placeholders {
		r.SetPathValue(name, values[i])
	}
	r.Pattern = muxPattern(own.route)
	own.ServeHTTP(w, r)
}

// hasSlashSegment reports whether a segment of the path is %2F. It is the value "/" of a
// placeholder. http.ServeMux takes it for the slash at the end of a path, so DELETE /users/%2F would
// be DELETE /users/, which deletes all users.
func hasSlashSegment(u *url.URL) bool {
	if u.RawPath == "" { // most paths: one with %2F has a RawPath
		return false
	}
	for s := range strings.SplitSeq(u.EscapedPath(), "/") {
		if strings.EqualFold(s, "%2F") {
			return true
		}
	}
	return false
}

// mayRedirect reports whether mux might redirect to the path with a slash at its end, or find a
// route with {name...} whose text is empty.
func (h *restMux) mayRedirect(u *url.URL) bool {
	path := u.EscapedPath()
	n := strings.Count(path, "/")
	if !strings.HasSuffix(path, "/") {
		n++
	}
	return slices.Contains(h.ends, n)
}

// hasRoute reports whether mux finds a route for r that takes it.
func (h *restMux) hasRoute(r *http.Request) bool {
	chosen, _ := h.mux.Handler(r)
	own, _ := chosen.(*restHandler)
	if own == nil || !isClean(r.URL) || hasSlashSegment(r.URL) {
		return false
	}
	path := r.URL.EscapedPath()
	isEmpty := own.served.tail && strings.HasSuffix(path, "/") && strings.Count(path, "/") == strings.Count(own.route, "/")
	return !isEmpty
}

// besideMux returns the most specific route that takes a request which mux redirects or takes for
// another one, and the values of its placeholders. Such requests are:
//
//	GET /a/x//y  /a/{p...}                 the text has empty or dot segments: the call refuses it
//	GET /a/b     /a/{p...}, /a/b/{q...}    mux redirects to /a/b/, whose q is empty
//	GET /a/x/b   /a/{p...}, /a/x/b/        mux redirects to /a/x/b/
//	GET /a/%2F   /a/, /a/{id}              id is "/"; mux chooses /a/
func (h *restMux) besideMux(r *http.Request) (found *restHandler, values []string) {
	routes, path := h.tails, []segment(nil)
	text, clean := r.URL.EscapedPath(), isClean(r.URL)
	if hasSlashSegment(r.URL) {
		routes = h.routes
	}
	for _, own := range routes {
		if m := own.served; m.verb != r.Method && (m.verb != http.MethodGet || r.Method != http.MethodHead) {
			continue
		}
		if list, ok := own.match(text, clean); ok && (found == nil || losesTo(path, own.path)) {
			found, path, values = own.restHandler, own.path, list
		}
	}
	return found, values
}

// match reports whether the route takes an escaped path, and returns the values of the placeholders,
// for besideMux. In an unclean path it is the text of {name...} that has the empty segment or the dot
// segment. A path is unclean also if it has %2F beside bytes that it should have escaped, and then it
// matches no route.
func (t pathRoute) match(path string, isClean bool) (values []string, ok bool) {
	most := len(t.path) // segments; the last one of a tail has the rest, with its slashes
	if !t.served.tail {
		most++ // a longer path has one too many: it is not cut into all of its segments for each route
	}
	texts := strings.SplitN(path, "/", most)
	if len(texts) != len(t.path) {
		return nil, false
	}
	for i, s := range t.path {
		text, err := url.PathUnescape(texts[i])
		switch {
		case err != nil, !s.isFilled() && text != s.text, s.kind == placeholder && !isTailText(texts[i]),
			s.kind == tailSegment && (text == "" || !isClean && isTailText(text)):
			return nil, false
		case s.isFilled():
			values = append(values, text)
		}
	}
	return values, true
}

// serveNoRoute responds to a request that no route matches.
func (h *restMux) serveNoRoute(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

func (h *restMux) writeErrorResponse(w http.ResponseWriter, r *http.Request, err error) {
	h.respondByOption(w, r, err)
}

// respond returns the error for a request that matches no route: 405 if a different verb would
// match, else 404.
func (h *restMux) respond(_ http.ResponseWriter, r *http.Request, _ *workspace) error {
	var allowed []string
	for _, verb := range routeVerbs {
		other := &http.Request{Method: verb, URL: r.URL, Host: r.Host}
		if own, _ := h.besideMux(other); own == nil && !h.hasRoute(other) {
			continue
		}
		allowed = append(allowed, verb)
		if verb == http.MethodGet { // http.ServeMux also uses a GET route for HEAD
			allowed = append(allowed, http.MethodHead)
		}
	}
	if allowed == nil {
		return httpError(http.StatusNotFound, CodeNotFound, nothingThere)
	}
	err := notAllowed(strings.Join(allowed, ", "))
	if slices.Contains(allowed, verbQuery) {
		err = err.WithHeader("Accept-Query", contentTypeJSON) // RFC 10008, section 3
	}
	return err
}

// A restHandler serves one method. A panic with http.ErrAbortHandler passes through, and net/http
// closes the connection. The body is read to its end before the method is called, and a record is
// encoded before the status is written, so that no client gets half of a record.
type restHandler struct {
	endpoint
	served *method
	vary   []string // the headers that the input is read from
}

// A restCall is the carrier of one request.
type restCall struct {
	call
	header http.Header  // of the output; or nil
	values headerValues // of the response
	status uint16       // of the response, if it is a 304, a file or a stream; else 0
	chosen uint16       // chosen by the output, if the method has a statusField
	begun  bool         // the response has begun, as a stream or a File
}

func (c *restCall) httpStatus(err error) int {
	switch {
	case c.status != 0:
		return int(c.status)
	case err != nil:
		return c.method.errorForm.statusOf(ErrorFrom(err))
	case c.chosen != 0:
		return int(c.chosen)
	}
	return c.method.status
}

func (c *restCall) bodyReader() *bodyReader { return c.ws.upload.reader() }

func (h *restHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

func (h *restHandler) writeErrorResponse(w http.ResponseWriter, r *http.Request, err error) {
	h.respondByOption(w, r, err)
}

// respond makes the call and writes its outcome. It never returns an error, because it writes and
// logs the errors of the call itself.
func (h *restHandler) respond(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	m := h.served
	if m.tail && h.hasEmptyTail(r) || strings.HasSuffix(m.path, "/") && !strings.HasSuffix(r.URL.EscapedPath(), "/") {
		return httpError(http.StatusNotFound, CodeNotFound, nothingThere)
	}
	c := &restCall{call: call{Context: r.Context(), endpoint: &h.endpoint, method: m, request: r, response: w.Header(), ws: ws}}
	if m.deprecation != nil || h.vary != nil {
		h.setHeader(c.response)
	}
	err := c.run(c)
	switch {
	case c.begun && err != nil: // half of a response is sent
		c.end(c, err)
		panic(http.ErrAbortHandler)
	case c.begun: // and ended
	case err != nil:
		c.writeError(w, err)
	default:
		c.writeOutput(w)
	}
	return nil
}

// hasEmptyTail reports whether mux has chosen the route for a path in which {name...} is empty.
func (h *restHandler) hasEmptyTail(r *http.Request) bool {
	return r.PathValue(h.served.bind.rest.tail.sourceName) == ""
}

// setHeader sets what the header of every response has.
func (h *restHandler) setHeader(header http.Header) {
	if d := h.served.deprecation; d != nil {
		d.announce(header)
	}
	for _, name := range h.vary {
		addHeader(header, "Vary", name)
	}
}

// writeError ends a call that has failed and writes its response.
func (c *restCall) writeError(w http.ResponseWriter, err error) {
	c.end(c, err)
	c.ws.before.restore(w.Header())
	c.endpoint.challenge(c.request.Context(), w.Header(), err)
	err = c.inWords(c, err)
	if c.endpoint.onError == nil { // as WriteError, in memory that is there
		c.ws.enc.buf = writeEnvelope(w, err, c.ws.enc.buf, &c.values)
	} else {
		c.endpoint.respondByOption(w, c.request, err)
	}
}

// writeOutput ends a call that has succeeded and writes its response. Preconditions count
// only if the response without them would be a success (RFC 9110, section 13.2.1), so they
// are evaluated after the call.
func (c *restCall) writeOutput(w http.ResponseWriter) {
	m, h := c.method, c.response
	if m.headers != nil {
		setHeaders(h, c.header)
	}
	unchanged := m.isRead() && len(h) > 0 && isUnchanged(c.request, h) // of the output or of Info.Header
	c.markReplayed(h)
	if unchanged {
		c.status = http.StatusNotModified
	}
	c.end(c, nil)
	switch {
	case unchanged:
		writeNotModified(w)
	case m.out == nil || m.bare:
		m.tellDropped(h, "Content-Type", "", "the response has no body")
		delete(h, "Content-Type")
		w.WriteHeader(c.httpStatus(nil))
	default:
		if len(h) > 0 { // most responses have no header yet
			m.tellDropped(h, "Content-Type", m.mediaType, "set MethodOptions.ContentType")
		}
		writeRecord(w, c.request, c.httpStatus(nil), m.mediaType, c.ws.enc.buf, &c.values)
	}
}

// tellDropped logs, once for each method, that the method or middleware has set a header in h that
// sent replaces. instead says what to do.
func (m *method) tellDropped(h http.Header, name, sent, instead string) {
	if set := h[name]; len(set) > 0 && set[0] != sent && m.dropped.CompareAndSwap(false, true) {
		cmp.Or(m.logger, slog.Default()).Warn("svc: the "+name+" of Info.Header is not sent; "+instead, "call", m.title(), "value", set[0])
	}
}

// versionKey is the context key of the seenVersion. It is declared here so that version.go is a room
// that nothing needs.
type versionKey struct{}

// A seenVersion is the version that [Version] detected for a request, and the query parameter that
// may name it.
type seenVersion struct{ version, query string }

// readText reads the body, or opens it for a method that reads it itself. It also reads a body that
// the method does not need: net/http reports that a client has left only after the whole request
// has been read. That of a POST is dropped; in a GET or a DELETE, bindInput finds out whether it has
// something that would be lost.
func (c *restCall) readText() (err error) {
	m, r, ws := c.method, c.request, c.ws
	switch {
	case m.form:
		return c.readForm()
	case m.takesBody():
		content := ws.slot.bodyOf(r)
		ws.upload, err = m.in.file.tags.openBody(ws.writer, r, content, m.limits)
		if err == nil {
			err = ws.slot.readAhead(ws.upload.reader(), content)
		}
		ws.unread = err != nil // otherwise bodyReader.end knows what was read
		return err
	case m.bind.rest.body == nil, m.bind.rest.mayBeEmpty && !hasBody(r):
		err = checkSite(r)
	default:
		err = checkJSON(ws.writer, r)
		if err == nil && m.verb == verbQuery && r.Header.Get("Content-Type") == "" { // RFC 10008, section 2
			err = httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument,
				"a QUERY must name the Content-Type of its body, application/json")
		}
	}
	if err != nil {
		return err
	}
	keep := keepAll
	switch {
	case m.bind.rest.body != nil:
	case m.hasBody():
		keep = 0
	default:
		keep = maxNothing
	}
	return ws.readBody(r, m.limits, keep)
}

// readForm reads the form in the body. If the method reads a file, readForm stops there, and
// ws.upload is the file; it stays nil without one.
func (c *restCall) readForm() error {
	m, ws := c.method, c.ws
	boundary, err := checkForm(ws.writer, c.request, m.takesBody())
	if err != nil {
		return err
	}
	if !m.takesBody() {
		if err = ws.readBody(c.request, m.limits, keepAll); err == nil {
			ws.form, err = parseForm(ws.body, boundary)
		}
		return err
	}
	content := ws.slot.bodyOf(c.request)
	ws.form, ws.upload, err = openForm(ws.writer, c.request, content, boundary, m.limits, m.in.file)
	if err == nil {
		err = ws.slot.readAhead(ws.upload.reader(), content)
	}
	ws.unread = err != nil
	return err
}

func (c *restCall) bindInput() (any, error) {
	m, r, ws := c.method, c.request, c.ws
	if m.key != nil {
		c.readKey(&ws.dec, "/"+keyHeader, r.Header[keyHeader])
	}
	values := requestValues{path: r, query: r.URL.RawQuery, keepURL: isShortURL(r), header: r.Header, body: ws.body, form: ws.form}
	if ws.upload != nil {
		values.raw = reflect.ValueOf(ws.upload).Elem()
	}
	if !m.hasBody() { // the content of a GET or a DELETE has no meaning of its own (RFC 9110, sections 9.3.1 and 9.3.5)
		values.unread = ws.body
	}
	// The query of a strict method has no unknown names except the parameter that Version reads.
	if m.strict && (values.query != "" || ws.form != nil) {
		seen, _ := c.Value(versionKey{}).(seenVersion)
		values.strict, values.versionParam = true, seen.query
		for _, name := range m.keyNames { // a guard of the application may have left its key there
			_, values.query = cutParameter(values.query, name)
		}
	}
	in, err := m.bind.bindRequest(&ws.dec, &values)
	if err == nil && ws.upload == nil {
		ws.forgetBody()
	}
	return in, ws.form.explainOrder(err)
}

// encodeOutput encodes an output, so that all errors of an output happen before a byte is sent.
// It sends a File itself.
func (c *restCall) encodeOutput(out any) (err error) {
	m, ws, encode := c.method, c.ws, c.method.encode
	if m.out == nil {
		return nil
	}
	if m.headers != nil {
		encode = m.headers.encode
		if c.header, err = m.headers.encodeHeader(reflect.ValueOf(out).Elem()); err != nil {
			return &Error{Code: CodeInternal, cause: err}
		}
		if m.headers.exposed != "" {
			exposeHeaders(ws.writer.Header(), m.headers.exposed)
		}
	}
	if m.sendsFile() {
		return c.serveFile(m.out.file.fileIn(out))
	}
	if m.chosen != nil {
		status, err := m.chosen.statusOf(out)
		if err != nil {
			return err
		}
		c.chosen = uint16(status)
	}
	if !m.bare {
		ws.enc.buf, err = appendRecord(&ws.enc, ws.enc.buf[:0], out, encode)
	}
	return err
}

// serveFile responds with f and the header of the output. The call ends when the file has
// been sent.
func (c *restCall) serveFile(f *File) error {
	if err := f.check(c.method.out.file.tags); err != nil { // the method is wrong, and the client cannot help it
		return &Error{Code: CodeInternal, cause: err}
	}
	h := c.ws.writer.Header()
	c.method.tellDropped(h, "Content-Type", f.ContentType, "set File.ContentType")
	c.method.tellDropped(h, "Content-Disposition", contentDisposition(f.Name, f.Inline), "set File.Name and File.Inline")
	s := f.send(c.ws.writer, c.request, c.header)
	if s.begun {
		c.begun, c.status = true, uint16(s.status)
	}
	if s.err == nil {
		c.end(c, nil)
	}
	return s.err
}

// runStream responds with a stream of events. Once the first byte is sent, the status can no longer
// change:
//
//	When an error happens             What the client gets
//	--------------------------------  ------------------------------------
//	before the method has returned    an ordinary error response
//	in the stream, or in one item     the event "error", then the end
//	while sending                     nothing more: the client is gone or
//	                                  does not read
//
// The iterator of the stream always runs, because a method releases its resources there. HEAD runs
// it without taking an item. The call ends here, before the client learns of an error.
func (c *restCall) runStream(ctx context.Context, cancel context.CancelCauseFunc, stream any) error {
	m := c.method
	m.tellDropped(c.response, "Content-Type", contentTypeEvents, "events have a media type of their own")
	if c.request.Method == http.MethodHead {
		c.answerHead(cancel, stream)
		return nil
	}
	events, err := c.openEvents(cancel)
	if err != nil {
		return c.refuseStream(cancel, stream, err)
	}
	c.begun, c.status = true, http.StatusOK // whatever ends the stream
	defer events.close()
	events.flush(true) // if the comment cannot be sent, the first sendEvent returns the error
	err = m.sendItems(ctx, cancel, events, c.ws, stream)
	if c.end(c, err); err != nil {
		c.sendError(events, c.inWords(c, err))
	}
	return nil
}

// answerHead responds to HEAD for a stream.
func (c *restCall) answerHead(cancel context.CancelCauseFunc, stream any) {
	c.begun, c.status = true, http.StatusOK
	setEventHeader(c.response)
	c.ws.writer.WriteHeader(http.StatusOK)
	c.end(c, c.method.discardStream(cancel, stream))
}

// refuseStream returns err, with the error of a stream that is not sent.
func (c *restCall) refuseStream(cancel context.CancelCauseFunc, stream any, err error) error {
	return errors.Join(err, c.method.discardStream(cancel, stream))
}

// openEvents returns the stream of the response, which begins with the id of StreamFrom.
func (c *restCall) openEvents(cancel context.CancelCauseFunc) (*eventStream, error) {
	begin := Event{}
	if id := c.streamFrom.Load(); id != nil {
		begin.ID = *id
	}
	if err := begin.checkFields(); err != nil {
		return nil, &Error{Code: CodeInternal, cause: fmt.Errorf("StreamFrom: %w", err)}
	}
	events, err := openEvents(c.ws.writer, c.method.eventTimes, cancel)
	if err == nil {
		events.queueID(begin.ID)
	}
	return events, err
}

// sendError sends the event that ends a stream with an error.
func (c *restCall) sendError(events *eventStream, err error) {
	data := c.method.errorForm.appendEvent(nil, ErrorFrom(err), c.request) // OnError writes whole responses
	events.sendLast(&Event{Name: eventError}, data)
}

// sendItems sends each item of the stream, and then its end. An iterator returns
// when its ctx is canceled. That is not the end of the stream, so sendItems then returns an
// error.
func (m *method) sendItems(ctx context.Context, cancel context.CancelCauseFunc, events *eventStream, ws *workspace, out any) error {
	err := m.eachItem(cancel, out, func(item any) (err error) {
		if ws.enc.buf, err = appendRecord(&ws.enc, ws.enc.buf[:0], item, m.encodeItem); err != nil {
			return err
		}
		var e Event
		if t, ok := item.(interface{ SSE() Event }); ok {
			e = t.SSE()
			if err = e.checkFields(); err != nil {
				return err
			}
		}
		return sendingError("an event", events.sendEvent(&e, ws.enc.buf))
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ErrorFrom(ctx.Err()).WithCause(context.Cause(ctx))
	}
	return sendingError("an event", m.sendEnd(events))
}
