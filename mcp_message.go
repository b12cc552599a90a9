package svc

// This file takes the messages of one request through their answers: it reads
// what MCP has in a JSON-RPC message, has the method answer it, and sends the
// answer as JSON or as an event.

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
)

// mcpBatch is how many messages a batch may have. The revisions that have
// batches set no limit, and nobody is known to send more than a few.
const mcpBatch = 100

// A message is one message of a request, with the parts of its params that the
// protocol knows. It aliases the text of the request.
type message struct {
	*rpcMessage
	meta      requestMeta
	name      []byte // of the tool
	arguments []byte
	cursor    []byte
	version   []byte // that initialize asks for
	level     []byte // that logging/setLevel asks for
}

// A requestMeta is what a request says of itself in params._meta. Each is a
// JSON value, or nil if it is absent.
type requestMeta struct {
	version      []byte
	capabilities []byte
	logLevel     []byte
	token        []byte // for progress
}

// An exchange is one HTTP request while it is answered. It is the context of
// the method too, which saves an allocation and lets Progress and Log find it.
type exchange struct {
	callContext
	h       *mcpHandler
	w       http.ResponseWriter
	r       *http.Request
	sc      *scratch
	modern  bool   // the era of the message being answered
	version string // and its revision
	accept  accepted
	batch   bool // answers are collected in out
	out     []byte
	stream  mcpStream
	text    rpcText
	one     [1]rpcMessage
}

func newExchange(h *mcpHandler, w http.ResponseWriter, r *http.Request, sc *scratch) *exchange {
	x := &exchange{
		callContext: callContext{r.Context(), Info{Transport: "mcp", Request: r, Header: w.Header()}},
		h:           h,
		w:           w,
		r:           r,
		sc:          sc,
	}
	x.text.messages = x.one[:0]
	return x
}

func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
	}
	return x.callContext.Value(key)
}

type exchangeKey struct{}

var _ context.Context = (*exchange)(nil)

// An mcpError is an answer that is no result.
type mcpError struct {
	number int
	text   string
	data   []byte // JSON, or nil
	status int    // of HTTP, in the modern era
	always bool   // the status is for every era; else legacy clients get 200
	cause  error  // for the log, or nil
}

// rpcError makes an error that is about the method, not about the message.
func rpcError(status, number int, text string) *mcpError {
	return &mcpError{number: number, text: text, status: status}
}

func invalidParams(text string) *mcpError {
	return rpcError(http.StatusBadRequest, mcpInvalidParams, text)
}

// serve answers everything that the body holds.
func (x *exchange) serve() error {
	s := &x.sc.scanner
	x.text.read(s, x.sc.body, mcpBatch)
	x.accept = parseAccept(x.r.Header["Accept"])
	switch {
	case s.fault != nil:
		x.fail(nil, badRequest(rpcParseError, "the body is not valid JSON: "+s.fault.Error()))
	case x.text.batch:
		x.serveBatch()
	default:
		return x.serveOne(&x.text.messages[0])
	}
	return nil
}

// serveOne answers a body that is one message.
func (x *exchange) serveOne(m *rpcMessage) error {
	switch m.kind {
	case rpcNotification:
		// Nobody says what a notification's header has to be, and what it
		// tells, cancellation first of all, may be for another replica.
		x.w.WriteHeader(http.StatusAccepted)
	case rpcResponse:
		// A legacy server may have asked something; this one has not.
		if x.saysModern() {
			x.fail(nil, badRequest(rpcInvalidRequest, "a client sends no responses in this revision"))
			return nil
		}
		x.w.WriteHeader(http.StatusAccepted)
	default:
		if x.accept == (accepted{}) {
			return transportError(http.StatusNotAcceptable, CodeInvalidArgument, "accept application/json, text/event-stream, or both")
		}
		x.request(m)
	}
	return nil
}

// serveBatch answers an array of messages, which only the first revisions have
// (MCP 2025-03-26, Messages). The answers are collected: nobody can tell which
// of several calls an event would be about.
func (x *exchange) serveBatch() {
	if header := x.versionHeader(); len(header) > 0 && !slices.Contains([]string{assumed, oldestVersion}, header[0]) {
		x.fail(nil, badRequest(rpcInvalidRequest, "this revision has no batches; send one message at a time"))
		return
	}
	switch n := x.text.count; {
	case n == 0:
		x.fail(nil, badRequest(rpcInvalidRequest, "a batch must have at least one message"))
		return
	case n > mcpBatch:
		x.fail(nil, badRequest(rpcInvalidRequest, "a batch must have at most 100 messages"))
		return
	}
	x.batch = true
	for i := range x.text.messages {
		if m := &x.text.messages[i]; m.kind == rpcRequest || m.kind == rpcInvalid {
			x.request(m)
		}
	}
	if len(x.out) == 0 {
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	x.batch = false
	x.sc.buf = append(append(append(x.sc.buf[:0], '['), x.out...), ']')
	x.send(http.StatusOK)
}

// request answers one request, or what is neither that nor anything else.
func (x *exchange) request(rpc *rpcMessage) {
	id := rpc.id
	if !isMCPID(id) {
		id = nil
	}
	m := message{rpcMessage: rpc}
	var failure *mcpError
	switch {
	case rpc.kind == rpcInvalid:
		failure = badRequest(rpcInvalidRequest, flawText(rpc.flaw))
	case id == nil:
		failure = badRequest(rpcInvalidRequest, "/id must be a string or an integer")
	default:
		if failure = x.read(&m); failure == nil {
			if failure = x.chooseEra(&m); failure == nil {
				failure = x.answer(&m)
			}
		}
	}
	if failure != nil {
		x.fail(id, failure)
		return
	}
	x.send(http.StatusOK)
}

func flawText(flaw *Violation) string {
	if flaw.Path == "" {
		return flaw.Message
	}
	return flaw.Path + " " + flaw.Message
}

// isMCPID reports whether the id of a request is one of MCP's: a string or an
// integer, of any size.
func isMCPID(id []byte) bool {
	if isText(id) {
		return true
	}
	if len(id) == 0 || id[0] == 'n' {
		return false
	}
	_, _, bad := parseInteger(id)
	return bad != integerFraction
}

var badParams = invalidParams("/params must be an object, and so must _meta and arguments in it")

// read finds the parts of m.params. The text is known to be valid JSON.
func (x *exchange) read(m *message) *mcpError {
	if len(m.params) == 0 {
		return nil
	}
	ok := m.params[0] == '{'
	if ok {
		eachMember(m.params, func(name, value []byte) {
			switch string(name) {
			case "name":
				m.name = value
			case "arguments":
				m.arguments = value
			case "cursor":
				m.cursor = value
			case "protocolVersion":
				m.version = value
			case "level":
				m.level = value
			case "_meta":
				if ok = value[0] == '{'; ok {
					m.meta.read(value)
				}
			}
		})
	}
	if len(m.arguments) > 0 && m.arguments[0] != '{' {
		ok = ok && m.arguments[0] == 'n'
		m.arguments = nil
	}
	if !ok {
		x.modern = x.saysModern()
		return badParams
	}
	return nil
}

// read finds the parts of a _meta object.
func (meta *requestMeta) read(text []byte) {
	eachMember(text, func(name, value []byte) {
		switch string(name) {
		case "io.modelcontextprotocol/protocolVersion":
			meta.version = value
		case "io.modelcontextprotocol/clientCapabilities":
			meta.capabilities = value
		case "io.modelcontextprotocol/logLevel":
			meta.logLevel = value
		case "progressToken":
			meta.token = value
		}
	})
}

// eachMember calls visit for each member of an object that is known to be valid
// JSON, without holding it to the rules again.
func eachMember(object []byte, visit func(name, value []byte)) {
	for i := skipBetween(object, 1); object[i] != '}'; i = skipBetween(object, i) {
		end := i + valueLen(object[i:])
		name := textOf(object[i:end])
		i = skipBetween(object, end)
		end = i + valueLen(object[i:])
		visit(name, object[i:end])
		i = end
	}
}

// skipBetween returns where the next name, value or bracket is at or after i.
func skipBetween(text []byte, i int) int {
	for text[i] <= ' ' || text[i] == ',' || text[i] == ':' {
		i++
	}
	return i
}

// valueLen returns the length of the JSON value that text, which is known to be
// valid, begins with.
func valueLen(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 { // of what is around a number or a word
				return i
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// openResult begins the result of the request that is being answered.
func (x *exchange) openResult() {
	x.sc.buf = append(openRPCResult(x.sc.buf[:0]), '{')
	if x.modern {
		x.sc.buf = append(x.sc.buf, x.h.texts.modern...)
	}
}

// add appends JSON to the result.
func (x *exchange) add(text string) { x.sc.buf = append(x.sc.buf, text...) }

// closeResult ends the result of the request m.
func (x *exchange) closeResult(m *message) {
	x.sc.buf = closeRPCResult(append(x.sc.buf, '}'), m.id)
}

// fail answers with an error, under the id if there is one.
func (x *exchange) fail(id []byte, e *mcpError) {
	err := e.cause
	if err == nil {
		err = Errorf(CodeInvalidArgument, "%s", e.text)
	}
	x.log(err)
	x.sc.buf = appendRPCError(x.sc.buf[:0], e.number, e.text, e.data, id)
	if x.modern || e.always {
		x.send(e.status)
		return
	}
	x.send(http.StatusOK)
}

// send sends the answer in sc.buf. An answer with a status of its own is JSON,
// whatever the client likes better: it has to see the status first.
func (x *exchange) send(status int) {
	body := x.sc.buf
	switch {
	case x.batch:
		if len(x.out) > 0 {
			x.out = append(x.out, ',')
		}
		x.out = append(x.out, body...)
	case x.stream.begun():
		x.stream.finish(body)
	case status != http.StatusOK:
		writeErrorBody(x.w, status, contentTypeJSON, body)
	case !x.accept.json:
		x.sendEvent(body)
	default:
		writeJSON(x.w, x.r, body)
	}
}

// log logs what the client is about to be told of.
func (x *exchange) log(err error) {
	x.h.log(x, x.r, err, x.info.Resource, x.info.Method)
}

func (h *mcpHandler) log(ctx context.Context, r *http.Request, err error, resource, method string) {
	logError(ctx, h.logger, err, func() []slog.Attr {
		attrs := []slog.Attr{slog.String("transport", "mcp"), slog.String("method", r.Method), slog.String("path", r.URL.Path)}
		if method != "" {
			attrs = append(attrs, slog.String("call", resource+"."+method))
		}
		return attrs
	})
}
