package svc

// This file calls the methods of an interface over REST. It uses the same plans as rest.go and
// bind.go, in the opposite direction. In this order:
//
//   - ClientOptions and Connect
//   - registration: the fields of the client, and the plan of each method
//   - a call: from the function of a field to the request and back
//   - inputs: checked, then written into path, query, header and body; client_form.go writes forms
//   - responses: outputs, errors, and responses that are not from the service
//
// client_retry.go sends calls again, and client_stream.go reads streams.
//
// These are the results of a call. If ctx has ended, the error is CANCELED or
// DEADLINE_EXCEEDED instead:
//
//	from the network                           the function returns
//	-----------------------------------------  ------------------------------
//	nothing: refused, reset, no such host      UNAVAILABLE with the cause and a reason
//	2xx with the JSON of an output             the output
//	any other 2xx                              INTERNAL
//	a body with more than MaxBody bytes        INTERNAL
//	a body that is cut                         UNAVAILABLE with the cause
//	an error of WriteError or WriteProblem     the same code, message, reason, details
//	any other body or status, 3xx too          the code of CodeFromHTTP
//	404 or 405 without such a route            the same, with the route in its cause
//	a stream that ends with the event error    the same code, message, reason, details
//	a stream without the event done or error   UNAVAILABLE

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ClientOptions configures a client. The zero value and nil stand for the defaults.
type ClientOptions struct {
	// Service is the Options of the service. They decide its routes, rules and form of errors.
	// Default: the defaults of [Options].
	Service *Options
	// HTTPClient sends the requests. It is copied. Its Timeout also limits streams. Its
	// CheckRedirect is not used. Default: http.DefaultClient.
	HTTPClient *http.Client
	// Handler is called in place of the network, for tests; usually it is [Service.REST]. The URL
	// of Connect may then be empty or a path, such as "/v1". It is a mistake to set HTTPClient too.
	Handler http.Handler
	// Attempts is how many times a call is sent at most. A call is sent again if it surely has not
	// run. It is also sent again if it reads, replaces, deletes or has an idempotency key, and got
	// no answer or an answer that asks to try again. doc/failures.md has the table. Zero means 3.
	// With 1, no call is sent again, and no stream resumes after a cut.
	Attempts int
	// MaxBody limits the body of a response and each event of a stream, in bytes. A call with a
	// larger one fails with INTERNAL. Zero means 16 MiB; a negative value means no limit. The
	// Content of a File has no limit.
	MaxBody int64
}

// Connect sets each field of the struct client to a function that calls the method of the
// interface I with the same name over REST:
//
//	var todos struct {
//		Create func(ctx context.Context, in *CreateTodo) (*Todo, error)
//	}
//	err := svc.Connect[TodoAPI](&todos, "https://todos.example", nil)
//
// baseURL includes the path below which the service is mounted. The error lists every mistake in
// the interface, the struct, the URL and opts. After an error no field is set. The functions are
// safe for concurrent use.
//
// Inputs are checked before they are sent, and fail with the error that the server would send. A
// zero field is not sent if it is optional or has a default. Use a pointer to send 0 when the
// default is not 0. Outputs are checked for their types, not for rules or by Validate methods.
//
// Every error is an [*Error]. An error of the server keeps its code, message, details, HTTP
// status and headers. Without a response the code is UNAVAILABLE, and [MayHaveRun] says whether
// the method may have run. Calls that may run twice are sent again; see ClientOptions.Attempts.
// doc/failures.md has the error for each response.
//
// Read a [Stream] and the Content of a [File] to their end, close the Content, or cancel ctx. Until
// then they keep a connection.
func Connect[I, C any](client *C, baseURL string, opts *ClientOptions) error {
	return connect(reflect.TypeFor[I](), reflect.ValueOf(client), baseURL, opts)
}

// connect is Connect without the type parameters, so that it is compiled once.
func connect(iface reflect.Type, client reflect.Value, baseURL string, opts *ClientOptions) error {
	o := *cmp.Or(opts, new(ClientOptions))
	p := new(mistakes)
	return newConnection(p, baseURL, o).setFields(p, iface, client, o)
}

// setFields sets the fields of the client, unless there are mistakes.
func (c *connection) setFields(p *mistakes, iface reflect.Type, client reflect.Value, o ClientOptions) error {
	fields := checkClient(p, client)
	if iface.Kind() != reflect.Interface {
		p.addf("%v is not an interface; write Connect[TodoAPI](…) with the interface of the service", iface)
		return p.err("cannot connect to " + iface.String())
	}
	before := len(p.list)
	options := o.Service.withDefaults(iface)
	options.Intercept, options.Idempotency = nil, nil // for the server alone
	service := compileService(p, iface, nil, options)
	if p.where = ""; len(p.list) > before { // a client uses only the names and types of the methods
		service.methods = nil
		p.addIf(o.Service == nil, "ClientOptions.Service is nil; if the service has options, give them here, since the routes follow from them")
	}
	functions := make([]reflect.Value, len(fields))
	for i, f := range fields {
		functions[i] = c.compileField(p, iface, f, service)
	}
	p.where = ""
	if len(p.list) > 0 {
		return p.err("cannot connect to " + iface.String())
	}
	for i, f := range fields {
		client.Elem().FieldByIndex(f.Index).Set(functions[i])
	}
	return nil
}

// checkClient returns the fields of the struct that client points to, in their
// order.
func checkClient(p *mistakes, client reflect.Value) (fields []reflect.StructField) {
	t := client.Type().Elem()
	switch {
	case client.IsNil():
		p.addf("the client is a nil *%v; give the address of a variable", t)
	case t.Kind() != reflect.Struct || t.NumField() == 0:
		p.addf("the client is of the type %v; want a struct with a field for each method that is called, such as Create func(ctx "+
			"context.Context, in *CreateTodo) (*Todo, error)", t)
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Name != "_" {
			fields = append(fields, f)
		}
	}
	return fields
}

// newConnection returns the part of a client that its methods share.
func newConnection(p *mistakes, baseURL string, o ClientOptions) *connection {
	c := &connection{max: cmp.Or(o.MaxBody, maxAnswers), buffers: &sync.Pool{New: func() any { return new(callBuffer) }},
		attempts: cmp.Or(o.Attempts, defaultAttempts), silence: streamSilence, wait: waitFor}
	p.addIf(o.Attempts < 0, "ClientOptions.Attempts is %d; give how often a call is sent at most: 1 or more, or 0 for %d", o.Attempts,
		defaultAttempts)
	c.http = *http.DefaultClient
	switch {
	case o.HTTPClient != nil:
		c.http = *o.HTTPClient
		p.addIf(o.Handler != nil, "ClientOptions has an HTTPClient and a Handler; set one, since the handler takes the place of the network")
	case o.Handler != nil:
		c.http = http.Client{Transport: handlerTransport{o.Handler}}
		if baseURL == "" || baseURL[0] == '/' {
			baseURL = "http://svc.test" + baseURL
		}
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if text := c.parseBase(baseURL); text != "" {
		if _, rest, ok := strings.Cut(baseURL, "@"); ok { // a password may be before it
			baseURL = "…@" + rest
		}
		p.addf("the URL %q %s; want one such as https://todos.example or http://127.0.0.1:8080/v1", baseURL, text)
	}
	return c
}

// parseBase sets the base of c. For a bad URL it returns the end of a message, else "".
func (c *connection) parseBase(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "is not a URL"
	case text == "" || text[0] == '/':
		return "needs a scheme and a host, since ClientOptions.Handler is not set"
	case u.Scheme != "http" && u.Scheme != "https":
		return "does not have the scheme http or https"
	case u.Host == "" || u.Opaque != "":
		return "has no host"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "has a query or a fragment"
	}
	c.base = *u
	c.base.Path, c.base.RawPath = "", ""
	c.path = strings.TrimRight(u.EscapedPath(), "/")
	if path := strings.TrimRight(u.Path, "/"); path != "" && !isClean(&url.URL{Path: path}) {
		return "has empty or dot segments in its path"
	}
	return ""
}

// compileField returns the function for the field f of the client. It notes a mistake if the
// interface lacks this method. The service has no methods if it has mistakes.
func (c *connection) compileField(p *mistakes, iface reflect.Type, f reflect.StructField, service *service) reflect.Value {
	p.where = "the field " + f.Name
	rm, ok := iface.MethodByName(f.Name)
	i := slices.IndexFunc(service.methods, func(m *method) bool { return m.goName == f.Name })
	switch {
	case !ok:
		p.addf("%v has no method of that name%s", iface, suggestMethod(iface, f.Name))
	case f.Type != rm.Type:
		p.addf("its type is %v; give it that of the method of %v, %v", f.Type, iface, rm.Type)
	case i >= 0 && service.methods[i].path == "":
		p.addf("a client calls methods over REST, which MethodOptions.Transports of this method leaves out; drop the field")
	case i >= 0:
		m := service.methods[i]
		return reflect.MakeFunc(f.Type, c.compileCall(p, m, service.rivals[m]).callField)
	}
	return reflect.Value{}
}

// A connection holds the state that the methods of one client share. Only Connect writes it.
//
// Invariants:
//
//	base has no path; path is the path of the URL with its escapes, without a trailing
//	  slash
type connection struct {
	http    http.Client
	base    url.URL
	path    string
	max     int64      // as ClientOptions.MaxBody, without its zero
	buffers *sync.Pool // of *callBuffer

	attempts int                                        // as ClientOptions.Attempts, without its zero
	budget   retryBudget                                // of all repetitions
	silence  time.Duration                              // the silence after which a stream counts as cut
	wait     func(context.Context, time.Duration) error // waitFor, except in tests
}

// A callBuffer is the memory for writing one request and reading its response. No input,
// output or request refers to it.
type callBuffer struct {
	dec   decoder
	enc   encoder
	body  []byte // of the response
	text  []byte // one value
	path  []byte // with its escapes
	query []byte
	sent  sentPath
}

// release returns b to the pool, unless an unusual call made it large.
func (c *connection) release(b *callBuffer) {
	if b.dec.resetWithin(maxPooled, b.enc.buf, b.body, b.text, b.path, b.query) {
		c.buffers.Put(b)
	}
}

// A clientCall is the plan of one method of a client.
//
// Invariants:
//
//	segments are the segments of the path
//	body encodes the fields that come from the body, or the one that is the body; or nil
//	decode decodes an output, or an item; or nil
type clientCall struct {
	*method
	conn       *connection
	segments   []pathSegment
	rivals     []rivalRoute
	params     [whereBody][]sendParam
	body       encodeFunc
	decode     decodeFunc
	decodeItem decodeFunc // of a stream
	resumes    bool       // a Stream that takes Last-Event-ID, so that it can go on after a cut
	hasIDs     bool       // its items have an SSE method
	ownAccept  bool       // a field of the input is the header Accept
}

// A pathSegment is one segment of a route's path, a literal or a placeholder.
type pathSegment struct {
	segment
	escaped string     // of a literal
	param   *sendParam // of a placeholder; nil for a literal
}

// A sendParam writes a field into the path, the query, a header or a cookie.
type sendParam struct {
	*param
	encode encodeFunc // of the value, or of an element of a list
	plain  bool       // the value is a string without JSON or text methods
}

// A rivalRoute is a route of a different method that takes some requests of a call, such as DELETE
// /users/all beside DELETE /users/{id}.
type rivalRoute struct {
	path      []segment  // as segmentsOf has it
	param     *sendParam // whose text makes the path one of the rival
	complaint *complaint
}

// compileCall compiles the plan of m, whose requests could reach rivals. p collects its mistakes:
// outputs that a client cannot read.
func (c *connection) compileCall(p *mistakes, m *method, rivals []*method) *clientCall {
	call := &clientCall{method: m, conn: c}
	e, rest := newEncoders(true), &m.bind.rest
	for w := range rest.params {
		call.params[w] = sendParams(rest.params[w], e)
	}
	call.segments = compilePath(call.params[wherePath], m.path)
	for _, other := range rivals {
		text := "must not name another route, " + other.pattern()
		path := segmentsOf(other.path)
		at := placeOfTexts(segmentsOf(m.path), path) - 1 // call.segments has nothing before the first slash
		call.rivals = append(call.rivals, rivalRoute{path, call.segments[at].param, &complaint{rule: ruleSyntax, message: text}})
	}
	switch {
	case rest.whole:
		call.body = e.wholeEncoder(rest.inBody)
	case rest.body != nil:
		call.body = e.objectEncoder(rest.inBody)
	}
	if m.out != nil && !m.sendsFile() {
		out, d, _ := compileReader(p, m.out.typ, asReadOutput)
		call.decode = d.decoderFor(out)
		call.decodeItem = call.decode
	}
	if m.either {
		item, d, _ := compileReader(p, m.item.typ, asReadOutput)
		call.decodeItem = d.decoderFor(item)
	}
	call.ownAccept = slices.ContainsFunc(m.bind.places, (*inputPlace).isAccept)
	if m.stream != "" {
		takesID := slices.ContainsFunc(call.params[whereHeader], func(p sendParam) bool { return p.canonical == lastEventID })
		call.resumes = takesID && !m.takesBody()
		call.hasIDs = m.itemsHaveIDs()
	}
	return call
}

// compilePath compiles the segments of a route's path, whose placeholders params fill.
func compilePath(params []sendParam, path string) (segments []pathSegment) {
	own := segmentsOf(path)
	for i, text := range strings.Split(path, "/") {
		s := pathSegment{segment: own[i]}
		if name, _, err := parseSegment(text); err == nil && name != "" {
			s.param = &params[slices.IndexFunc(params, func(p sendParam) bool { return p.sourceName == name })]
		} else { // registration has checked it
			s.escaped = (&url.URL{Path: s.text, RawPath: text}).EscapedPath()
		}
		segments = append(segments, s)
	}
	return segments[1:] // before the first slash there is nothing
}

// sendParams returns the plans that write the fields of params.
func sendParams(params []param, e *encoders) []sendParam {
	out := make([]sendParam, len(params))
	for i := range params {
		p := &params[i]
		out[i] = sendParam{param: p, encode: e.encoderFor(p.value), plain: p.value.kind == kindString}
	}
	return out
}

// callField is the function in a field of the client, for reflect.MakeFunc.
func (c *clientCall) callField(args []reflect.Value) []reflect.Value {
	ctx, _ := args[0].Interface().(context.Context)
	var in any
	if len(args) > 1 {
		in = args[1].Interface()
	}
	out, e := c.roundTrip(ctx, in)
	if c.out == nil {
		return []reflect.Value{errorValue(e)}
	}
	if e != nil {
		out = reflect.Zero(c.outType)
	}
	return []reflect.Value{out, errorValue(e)}
}

// errorValue returns e, which may be nil, as an error.
func errorValue(e *Error) reflect.Value {
	if e == nil {
		return reflect.Zero(typeError)
	}
	err := error(e)
	return reflect.ValueOf(&err).Elem()
}

// send makes one attempt of a call: it sends r and reads the response. It returns the output, if
// any, or an error.
func (c *clientCall) send(ctx context.Context, b *callBuffer, r *http.Request, sent *sendTrace) (out reflect.Value, e *Error) {
	response, e := c.exchange(ctx, r, sent)
	if e != nil {
		return out, e
	}
	switch isError := response.StatusCode/100 != 2; {
	case c.sendsFile() && !isError:
		return c.openFile(ctx, b, response)
	case c.stream != "" && !isError && !(c.either && !isEvents(response)):
		if out, e = c.openStream(ctx, r, sent, response); e != nil {
			sent.stop()
		}
		return out, e
	}
	defer sent.stop()
	defer response.Body.Close()
	if out, e = c.readResponse(ctx, b, response); c.either && e == nil {
		out = c.newEither(0, out)
	}
	return out, e
}

// exchange sends r and returns the response, or an error without one.
func (c *clientCall) exchange(ctx context.Context, r *http.Request, sent *sendTrace) (*http.Response, *Error) {
	late := ctx.Err() != nil // if so, nothing is sent
	if c.conn.http.Jar != nil {
		r = r.Clone(r.Context()) // http.Client adds cookies to it
	}
	response, err := c.conn.http.Do(r)
	if err == nil {
		return response, nil
	}
	e := c.conn.networkError(ctx, err, "the server did not answer")
	if late || sent.isUnsent(err) {
		e.reason = reasonNotSent
	}
	sent.stop()
	return nil, e
}

// A sendTrace notes whether a request had a connection. The error alone does not tell: net/http
// sends a GET, or a request with an idempotency key, again if its connection breaks. The error then
// belongs to the second connection, while the first request may have run.
type sendTrace struct {
	httptrace.ClientTrace
	connected atomic.Bool
	ctx       context.Context         // of the request
	cancel    context.CancelCauseFunc // ends the request of a stream; nil for others
}

// newTrace returns the trace of one request. Its ctx ends when the ctx of the call does.
func (c *clientCall) newTrace(ctx context.Context) *sendTrace {
	t := new(sendTrace)
	t.GotConn = func(httptrace.GotConnInfo) { t.connected.Store(true) }
	if c.stream != "" {
		ctx, t.cancel = context.WithCancelCause(ctx)
	}
	t.ctx = httptrace.WithClientTrace(ctx, &t.ClientTrace)
	return t
}

// stop releases the context of a finished request.
func (t *sendTrace) stop() {
	if t.cancel != nil {
		t.cancel(nil)
	}
}

// isUnsent reports whether err, the error of the request, means that there was no connection. Other
// errors prove nothing, because a RoundTripper of the application may ignore the trace.
func (t *sendTrace) isUnsent(err error) bool {
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	noConnection := errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") || errors.As(err, &certificate)
	return noConnection && !t.connected.Load()
}

// wasCut is the message for a response that ended early.
const wasCut = "the response was cut"

// networkError returns the error for a request without a response, or with a response that was cut;
// message says which. If ctx has ended, the error reports this instead. The network can report a
// deadline before ctx does. The method may have run.
func (c *connection) networkError(ctx context.Context, err error, message string) *Error {
	if ended := ctx.Err(); ended != nil {
		if !errors.Is(err, ended) {
			err = errors.Join(ended, err)
		}
		return &Error{Code: CodeOf(ended), Message: codes[CodeOf(ended).row()].text,
			sentParts: sentParts{reason: reasonOutcomeUnknown}, cause: err}
	}
	if e := (*Error)(nil); errors.As(err, &e) { // from a Body that is too large
		return e
	}
	var timeout interface{ Timeout() bool }
	_, limited := ctx.Deadline()
	if (limited || c.http.Timeout > 0) && errors.Is(err, context.DeadlineExceeded) && errors.As(err, &timeout) && timeout.Timeout() {
		return &Error{Code: CodeDeadlineExceeded, Message: codes[CodeDeadlineExceeded.row()].text,
			sentParts: sentParts{reason: reasonOutcomeUnknown}, cause: err}
	}
	return &Error{Code: CodeUnavailable, Message: message, sentParts: sentParts{reason: reasonOutcomeUnknown}, cause: err}
}

// newRequest checks the input and returns its request. Everything in the request has its own
// memory: net/http may still read the body after it has returned the response.
func (c *clientCall) newRequest(ctx context.Context, b *callBuffer, in any) (*http.Request, error) {
	if err := c.checkType(in); err != nil {
		return nil, err
	}
	base := c.conn.base
	r := (&http.Request{Method: c.route.verb, URL: &base, Host: base.Host, Header: make(http.Header),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	accept := c.mediaType
	switch {
	case c.either:
		accept += ", " + contentTypeEvents
	case c.stream != "":
		accept = contentTypeEvents
	case c.sendsFile():
		accept = "*/*"
	}
	if !c.ownAccept {
		r.Header[headerAccept] = []string{accept}
	}
	var err error
	if c.takesBody() && !c.route.form {
		err = c.addUpload(r, in)
	}
	if err == nil {
		err = c.writeInput(b, r, in)
	}
	if err == nil && c.route.form {
		err = c.addForm(b, r, in)
	}
	if err != nil {
		if r.Body != nil {
			endUpload(r) // a Body that is not sent
		} else if c.takesBody() {
			closeReader(c.bodyOf(in).content)
		}
		return nil, err
	}
	if c.body != nil && len(b.enc.buf) > 0 { // else the field that is the whole body is left out
		r.Header["Content-Type"] = []string{contentTypeJSON}
		setContent(r, bytes.Clone(b.enc.buf))
	}
	addTrace(ctx, r.Header)
	if c.key != nil { // net/http repeats a request with this header if its connection was closed
		values, ok := ctx.Value(nextKey{}).([]string)
		if !ok {
			values = []string{rand.Text()}
		}
		r.Header[keyHeader] = values
	}
	return r, nil
}

// setContent makes content the body of r.
func setContent(r *http.Request, content []byte) {
	r.ContentLength = int64(len(content))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	r.Body, _ = r.GetBody()
}

// expectFrom is the size in bytes from which a Body is sent with Expect: 100-continue. The
// response of a server that refuses it could be lost while the client writes.
const expectFrom = 1 << 20

// addUpload sets the body of r to the Body of the input. It returns an error if the Body breaks its
// tags.
func (c *clientCall) addUpload(r *http.Request, in any) error {
	b := newClientBody(c.bodyOf(in))
	if b.ContentType != "" {
		r.Header.Set("Content-Type", b.ContentType)
	}
	if b.FileName != "" {
		r.Header.Set("Content-Disposition", contentDisposition(b.FileName, false))
	}
	return c.sendBody(r, b)
}

// bodyOf returns the Body of the input in, which may be zero.
func (c *clientCall) bodyOf(in any) Body {
	value, ok := c.in.file.valueIn(reflect.ValueOf(in).Elem())
	if !ok {
		return Body{}
	}
	return value.Interface().(Body)
}

// sendBody sets the body of r to b. It returns an error if b breaks its tags.
func (c *clientCall) sendBody(r *http.Request, b *clientBody) error {
	r.Body, r.ContentLength = b, b.Size
	if b.Size >= 0 {
		r.ContentLength += int64(len(b.head) + len(b.tail))
	}
	if b.Size < 0 || b.Size >= expectFrom {
		r.Header.Set("Expect", "100-continue")
	}
	if r.ContentLength == 0 {
		endUpload(r)
		r.Body = http.NoBody
	}
	return c.in.file.tags.limitBody(&b.Body, limits{size: -1}, c.filePart())
}

// openFile returns the output with the File of a response, whose content is not read yet.
func (c *clientCall) openFile(ctx context.Context, b *callBuffer, response *http.Response) (reflect.Value, *Error) {
	out := reflect.New(c.out.typ)
	f := c.out.file.fileIn(out.Interface())
	*f = parseFile(response.Header)
	f.Size, f.Content = max(response.ContentLength, 0), &clientFile{response.Body, c.conn, ctx}
	var e *Error
	if !c.out.file.tags.allows(f.ContentType) {
		e = Errorf(CodeInternal, "the Content-Type of the response is not one of the output")
	} else if c.headers != nil {
		e = outputError(c.readHeaders(&b.dec, out.Elem(), response.Header))
	}
	if e != nil {
		closeReader(f.Content)
	}
	return out, e
}

// A clientFile is the content of a File that is being received.
type clientFile struct {
	io.ReadCloser
	conn *connection
	ctx  context.Context
}

// Read implements io.Reader. Its errors come from networkError: an *Error, as from a call.
func (f *clientFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = f.conn.networkError(f.ctx, err, wasCut)
	}
	return n, err
}

// writeInput writes the input in into the path, the query and the header of r, and the body into
// b.enc.buf. Then it checks the input, by reading the request like the server. If the server would
// accept it, violations that only a client can find, such as a text that a header cannot carry, are
// the error. Code of the application may panic here.
func (c *clientCall) writeInput(b *callBuffer, r *http.Request, in any) (err error) {
	defer recoverTo(&err)
	b.enc = encoder{buf: b.enc.buf[:0]}
	d := &b.dec
	d.start(nil)
	v := reflect.Indirect(reflect.ValueOf(in)) // invalid if the method takes no input
	c.writePath(b, r, v)
	c.writeQuery(b, r, v)
	c.writeHeader(b, r, v)
	c.writeCookies(b, r, v)
	var form *formInput
	if c.body != nil {
		c.body(&b.enc, v)
	} else if c.route.form {
		form = c.writeForm(b, in)
	}
	if b.enc.err != nil {
		if err := c.bind.checkRules(d, v); err != nil {
			return err
		}
		return Errorf(CodeInvalidArgument, "the input has no form in JSON: %w", b.enc.err)
	}
	unsent := d.finish()
	d.start(nil)
	b.sent = sentPath{c, r.URL}
	// Read it like the server. Its strings need no copies, because they are not kept.
	_, err = c.bind.bindRequest(d, &requestValues{path: &b.sent, query: r.URL.RawQuery, keepURL: true, header: r.Header,
		body: b.enc.buf, form: form})
	b.sent = sentPath{}
	if err != nil {
		return err
	}
	return unsent
}

// A sentPath is the path of a request that a client sends, for requestValues.
type sentPath struct {
	call *clientCall
	url  *url.URL
}

// PathValue returns the value of a placeholder, as http.Request does.
func (s *sentPath) PathValue(name string) string {
	rest := cmp.Or(s.url.RawPath, s.url.Path)[len(s.call.conn.path)+len("/"):]
	for _, segment := range s.call.segments {
		text, after, _ := strings.Cut(rest, "/")
		if segment.kind == tailSegment {
			text = rest
		}
		if p := segment.param; p != nil && p.sourceName == name {
			value, _ := url.PathUnescape(text)
			return value
		}
		rest = after
	}
	return ""
}

// writePath sets the path of r.
func (c *clientCall) writePath(b *callBuffer, r *http.Request, v reflect.Value) {
	b.dec.in = inPath
	b.path = append(b.path[:0], c.conn.path...)
	var sent []segment // the path as segmentsOf has one, to compare with rivals
	if c.rivals != nil {
		sent = make([]segment, 1, 1+len(c.segments))
	}
	for i := range c.segments {
		s := &c.segments[i]
		b.path = append(append(b.path, '/'), s.escaped...)
		if s.param == nil {
			if c.rivals != nil {
				sent = append(sent, s.segment)
			}
			continue
		}
		b.text = b.text[:0]
		if value, ok := s.param.sentValue(v); ok { // otherwise it is a nil pointer, and the text is ""
			b.text = s.param.appendText(&b.enc, b.text, value)
		}
		if s.kind == tailSegment { // bindRequest checks it
			for i, text := range strings.Split(string(b.text), "/") {
				if i > 0 {
					b.path = append(b.path, '/')
				}
				b.path = appendEscapedText(b.path, []byte(text))
				if c.rivals != nil {
					sent = append(sent, segment{text: text})
				}
			}
			continue
		}
		switch string(b.text) {
		case "", ".", "..", "/":
			s.param.complain(b, errNotSegment)
		}
		b.path = appendEscapedText(b.path, b.text)
		if c.rivals != nil {
			sent = append(sent, segment{text: string(b.text)})
		}
	}
	for _, rival := range c.rivals {
		if _, less, meet := compareRoutes(rival.path, sent); meet && !less {
			rival.param.complain(b, rival.complaint)
		}
	}
	escaped := string(b.path)
	if r.URL.Path, _ = url.PathUnescape(escaped); r.URL.Path != escaped {
		r.URL.RawPath = escaped
	}
}

// writeQuery sets the query of r, with the parameters in the order of the fields.
func (c *clientCall) writeQuery(b *callBuffer, r *http.Request, v reflect.Value) {
	b.dec.in = inQuery
	b.query = b.query[:0]
	writePairs(b, c.params[whereQuery], v)
	r.URL.RawQuery = string(b.query)
}

// writePairs appends the fields of the struct v that params have to b.query.
func writePairs(b *callBuffer, params []sendParam, v reflect.Value) {
	for i := range params {
		p := &params[i]
		value, ok := p.sentValue(v)
		if !ok {
			continue
		}
		if p.list == nil {
			writePair(b, p, value)
			continue
		}
		b.dec.pushToken(p.sourceToken)
		b.dec.path = append(b.dec.path, step{})
		for n := range value.Len() {
			b.dec.path[len(b.dec.path)-1].index = n
			if element, ok := notNull(value.Index(n)); ok {
				writePair(b, p, element)
			} else {
				b.dec.addViolation(errNullParam)
			}
		}
		b.dec.pop()
		b.dec.pop()
	}
}

// writePair appends name=value to b.query.
func writePair(b *callBuffer, p *sendParam, v reflect.Value) {
	b.text = p.appendText(&b.enc, b.text[:0], v)
	if len(b.query) > 0 {
		b.query = append(b.query, '&')
	}
	b.query = append(appendEscapedText(b.query, []byte(p.sourceName)), '=')
	b.query = appendEscapedText(b.query, b.text)
}

// writeHeader sets the headers of r. An empty Last-Event-ID is an absent one for the
// server; see bindHeader.
func (c *clientCall) writeHeader(b *callBuffer, r *http.Request, v reflect.Value) {
	b.dec.in = inHeader
	for i := range c.params[whereHeader] {
		p := &c.params[whereHeader][i]
		if text, ok := p.fieldText(b, v); ok && (text != "" || p.canonical != lastEventID) {
			if at, isTime := parseTime(text); isTime && p.value.kind == kindTime && hasHTTPDate(p.canonical) {
				text = at.UTC().Format(http.TimeFormat)
			}
			if !isHeaderValue(text) && (p.canonical != lastEventID || !isEventID(text)) {
				p.complain(b, errNotHeader)
			}
			r.Header[p.canonical] = []string{text}
		}
	}
}

// writeCookies sets the header with all cookies. A cookie jar adds its own to it.
func (c *clientCall) writeCookies(b *callBuffer, r *http.Request, v reflect.Value) {
	b.dec.in = inCookie
	var pairs []string
	for i := range c.params[whereCookie] {
		p := &c.params[whereCookie][i]
		if text, ok := p.fieldText(b, v); ok {
			if !isCookieValue(text) {
				p.complain(b, errNotCookie)
			}
			pairs = append(pairs, p.sourceName+"="+text)
		}
	}
	if pairs != nil {
		r.Header["Cookie"] = []string{strings.Join(pairs, "; ")}
	}
}

// fieldText returns the text of the field in the struct v. It reports false if the field is not
// sent.
func (p *sendParam) fieldText(b *callBuffer, v reflect.Value) (string, bool) {
	value, ok := p.sentValue(v)
	if !ok {
		return "", false
	}
	b.text = p.appendText(&b.enc, b.text[:0], value)
	if p.shape.deref().kind == kindDuration {
		return strings.Replace(string(b.text), "µ", "u", 1), true // as in outputHeader.textOf
	}
	return string(b.text), true
}

// complain adds a violation with the parameter as its place.
func (p *sendParam) complain(b *callBuffer, c *complaint) {
	b.dec.pushToken(p.sourceToken)
	b.dec.addViolation(c)
	b.dec.pop()
}

// sentValue returns the value of the field in the struct v, with pointers followed. It reports
// false if the value is not sent: a nil pointer, or the zero value of a field that is optional or
// has a default.
func (p *sendParam) sentValue(v reflect.Value) (reflect.Value, bool) {
	value, ok := p.valueIn(v)
	if !ok || p.in != inPath && (p.optional || p.def != nil) && value.IsZero() {
		return value, false
	}
	return notNull(value)
}

// appendText appends the text of one value: its JSON, without the quotes and escapes of a
// string. The setters of bind.go read such texts.
func (p *sendParam) appendText(e *encoder, dst []byte, v reflect.Value) []byte {
	if p.plain {
		return append(dst, v.String()...)
	}
	start := len(e.buf)
	p.encode(e, v)
	text := e.buf[start:]
	e.buf = e.buf[:start]
	if len(text) < 2 || text[0] != '"' {
		return append(dst, text...)
	}
	return appendUnescaped(dst, text[1:len(text)-1])
}

// readResponse returns the output in a response, or the error. It reads the body to its
// end, or the connection could not be used again.
func (c *clientCall) readResponse(ctx context.Context, b *callBuffer, response *http.Response) (reflect.Value, *Error) {
	var err error
	b.body, err = readAll(b.body[:0], response.Body, c.conn.max, response.ContentLength, keepAll)
	var none reflect.Value
	switch isError := response.StatusCode/100 != 2; {
	case err == errOverLimit && isError:
		return none, foreignError(response)
	case err == errOverLimit:
		return none, c.conn.largeError()
	case err != nil:
		return none, c.conn.networkError(ctx, err, wasCut)
	case isError:
		return none, c.readError(&b.dec, response, b.body)
	}
	types := response.Header.Values("Content-Type")
	isJSON := len(types) == 1 && isJSONType(types[0])
	if c.bare && len(b.body) == 0 {
		b.body, isJSON = append(b.body, "{}"...), true
	}
	switch {
	case c.out == nil && (len(b.body) == 0 || isJSON):
		return none, nil
	case c.out == nil:
		return none, Errorf(CodeInternal, "the response has a body that is not JSON, and the method has no output")
	case len(b.body) == 0:
		return none, Errorf(CodeInternal, "the response has the status %s and no output", statusText(response.StatusCode))
	case !isJSON:
		return none, Errorf(CodeInternal, "the Content-Type of the response is not application/json")
	}
	out, e := decodeOutput(&b.dec, b.body, c.out.typ, c.decode)
	if e == nil && c.headers != nil {
		e = outputError(c.readHeaders(&b.dec, out.Elem(), response.Header))
	}
	if e == nil && c.chosen != nil {
		c.chosen.set(out.Elem(), response.StatusCode)
	}
	return out, e
}

// readHeaders sets the fields of the output v that are headers of the response. The fields
// of absent headers stay zero.
func (c *clientCall) readHeaders(d *decoder, v reflect.Value, header http.Header) (err error) {
	defer recoverTo(&err) // UnmarshalText is code of the application
	d.start(nil)
	d.in = inHeader
	for i := range c.headers.fields {
		h := &c.headers.fields[i]
		if values := header[h.canonical]; len(values) > 0 {
			d.pushToken(pointerToken(h.bound[whereHeader]))
			h.setField(d, h.settableIn(v), values)
			d.pop()
		}
	}
	return d.finish()
}

// setField sets a field of an output from the values of its header, as
// outputHeader.valuesIn returns them.
func (h *outputHeader) setField(d *decoder, v reflect.Value, values []string) {
	v = filled(v)
	switch {
	case h.list:
		v.Set(reflect.MakeSlice(v.Type(), len(values), len(values)))
		for i, text := range values {
			v.Index(i).SetString(text)
		}
	case len(values) > 1:
		d.addViolation(errRepeated)
	case h.shape.kind == kindTime:
		if t, err := http.ParseTime(values[0]); err != nil {
			d.addViolation(errNotDate)
		} else {
			*v.Addr().Interface().(*time.Time) = t
		}
	default:
		d.addIfAny(setterFor(h.shape, isNumberText)(d, v, []byte(values[0])))
	}
}

// decodeOutput returns the output, or the item of a stream, with this JSON.
func decodeOutput(d *decoder, text []byte, t reflect.Type, decode decodeFunc) (reflect.Value, *Error) {
	out := reflect.New(t)
	return out, outputError(decodeWhole(d, text, out.Elem(), decode))
}

// outputError returns the error for a response that does not fit the type of the output. err is the
// reason; for nil it returns nil.
func outputError(err error) *Error {
	if err == nil {
		return nil
	}
	e := &Error{Code: CodeInternal, Message: "the response does not match the type of the output", cause: err}
	if invalid, ok := err.(*Error); ok {
		e.cause = invalid.cause // the message has the other details
		e.Message += ": " + strings.TrimPrefix(invalid.Message, codes[CodeInvalidArgument.row()].text+": ")
	}
	return e
}

// largeError returns the error for an output, or an item, that is too large.
func (c *connection) largeError() *Error {
	return Errorf(CodeInternal, "the response has more than %d bytes, the limit of the client: %w", c.max,
		errors.New("the body is larger than ClientOptions.MaxBody"))
}

// statusText returns a status and its phrase, such as 502 Bad Gateway.
func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}

// foreignError returns the error for a response that is not from the service, without its
// text: the error page of a proxy is not for the users of this program.
func foreignError(response *http.Response) *Error {
	status := response.StatusCode
	what := "the response is not from the service"
	switch {
	case status == http.StatusNotModified:
		what = "the response has no output"
	case status/100 == 3:
		what = "the server redirects" + redirectTarget(response) + ", which clients do not follow"
	}
	e := Errorf(CodeFromHTTP(status), "%s: it has the status %s", what, statusText(status))
	if status == http.StatusBadGateway || status == http.StatusGatewayTimeout { // a proxy lost the answer
		e.reason = reasonOutcomeUnknown
	}
	return withResponse(e, response, status == http.StatusNotFound || status == http.StatusMethodNotAllowed)
}

// redirectTarget returns the target of a redirect, without parts that may be secret, or "".
func redirectTarget(response *http.Response) string {
	u, err := response.Location()
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return " to " + u.String()
}

// withResponse adds the status and the headers of a response to e, which must not be shared yet. A
// method that returns e sends only Retry-After. With noRoute the cause names the route, because
// wrong options of the client may be the reason.
func withResponse(e *Error, response *http.Response, noRoute bool) *Error {
	if r := response.Request; noRoute && r != nil { // a Transport may not have set it
		u := *r.URL
		u.User, u.RawQuery = nil, "" // these may be secret
		e.cause = fmt.Errorf("%s %s, by the base URL and ClientOptions.Service", r.Method, &u)
	}
	if status := response.StatusCode; status >= 400 && status <= 599 {
		e.status = int32(status)
	}
	if after := response.Header.Get("Retry-After"); after != "" {
		e.header = http.Header{"Retry-After": {after}}
	}
	e.origin.received = response.Header
	return e
}

// readError returns the error of a response that is not a success.
func (c *clientCall) readError(d *decoder, response *http.Response, body []byte) *Error {
	types := response.Header.Values("Content-Type")
	if len(types) == 1 && isJSONType(types[0]) && isJSON(body) {
		status := response.StatusCode
		if e := c.readBody(d, c.errorForm.formFor(status), status, body); e != nil {
			e = withResponse(e, response, e.Message == nothingThere || response.StatusCode == http.StatusMethodNotAllowed)
			e.origin.unrun = c.isRefusal(e)
			return e
		}
	}
	return foreignError(response)
}

// readBody returns the error that the JSON text carries, or nil. The text has form, of the ErrorForm of
// the service, or the envelope {"error":{"code":…}}, which middleware may write although the service
// has an ErrorForm. If the text has a member "error" and the form does not, it is an envelope;
// otherwise readBody tries the form first.
func (c *clientCall) readBody(d *decoder, form *ErrorForm, status int, text []byte) *Error {
	e := readEnvelope(d, text)
	if form != nil && (e == nil || memberAt(text, "error") == nil || form.nestsError()) {
		return cmp.Or(c.errorForm.readBody(form, d, status, text), e)
	}
	return e
}

// readEnvelope returns the error that the JSON text carries, or nil if its code is unknown to this
// package, because then it is not from a service.
//
//	from the envelope  from RFC 9457  the field
//	error.code         code           Code
//	error.message      detail         Message
//	error.reason       reason         Reason, if it is a valid reason
//	error.details      details        Details, with "violations" as a []Violation
func readEnvelope(d *decoder, text []byte) *Error {
	text = bytes.TrimLeft(text, " \t\r\n")
	if inside := memberAt(text, "error"); isJSONObject(inside) {
		text = inside
	}
	code, message, details := memberAt(text, "code"), memberAt(text, "message"), memberAt(text, "details")
	if message == nil {
		message = memberAt(text, "detail")
	}
	if !isText(code) || !isText(message) {
		return nil
	}
	e := &Error{Code: Code(textOf(code)), Message: string(textOf(message))}
	if reason := textAt(text, "reason"); isReason(reason) {
		e.reason = reason
	}
	if e.code() != e.Code {
		return nil
	}
	if !isJSONObject(details) || len(details) > maxReadDetails {
		return e
	}
	d.start(details)
	e.Details, _ = d.decodeAnyValue().(map[string]any)
	if list, ok := e.Details["violations"].([]any); ok {
		if vs := receivedViolations(list); len(vs) == len(list) {
			for i, item := range itemsOf(memberAt(details, "violations")) {
				if limit := memberAt(item, "limit"); isJSONNumber(limit) {
					vs[i].Limit = json.Number(limit) // as it was sent
				}
			}
			e.Details["violations"] = vs
		}
	}
	return e
}

// maxReadDetails is the most bytes of JSON that a client decodes as the details of an error,
// since a Go value may take fifty times the memory of its text. Larger details are dropped.
const maxReadDetails = 64 << 10
