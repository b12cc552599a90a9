package svc

// This file finds the id of a message that cannot be read. Without an id in the answer, most
// clients wait for ever, or until their time-out.

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"
)

// glimpseSize is how many bytes at the beginning and at the end of a message over the limit are
// examined: enough for an id, and for members such as jsonrpc beside it.
const glimpseSize = 2 * maxMCPID

// maxRest is how much of a body that is refused is read and dropped, in bytes, since many clients
// write the id last.
const maxRest = 64 << 20

const (
	restPause = time.Second      // how long readRest waits for more
	restTime  = 10 * time.Second // how long it reads at all
)

// A glimpse is the known part of an unreadable message. kind is rpcInvalid if it can be any kind.
type glimpse struct {
	kind rpcKind
	id   []byte // JSON; nil if it is unknown
}

// glimpseAt returns the glimpse of a message of which head is the beginning, and tail the end if it
// is not nil. Members count by the first and the last braces, so a text that is broken in between
// will do.
func glimpseAt(head, tail []byte) (g glimpse) {
	l := looseText{head}
	ids, method, hasResult := l.readMembers()
	if id := lastID(tail); id != nil {
		ids = append(ids, id)
	}
	for _, id := range ids {
		if !isJSON(id) || !isMCPID(id) || !bytes.Equal(id, ids[0]) {
			return glimpse{}
		}
	}
	switch {
	case hasResult && method == nil:
		g.kind = rpcResponse
	case ids != nil:
		g = glimpse{rpcRequest, bytes.Clone(ids[0])}
	case isJSON(method) && strings.HasPrefix(textAt(method), "notifications/"): // any other method may have lost its id
		g.kind = rpcNotification
	}
	return g
}

// lastID returns the id of an object of which tail is the end, if that is its last member.
func lastID(tail []byte) []byte {
	const name = `"id"`
	i := bytes.LastIndex(tail, []byte(name))
	if i < 0 {
		return nil
	}
	before := bytes.TrimRight(tail[:i], " \t\r\n")
	l := looseText{tail[i+len(name):]}
	if len(before) == 0 || before[len(before)-1] != ',' && before[len(before)-1] != '{' || !l.skipByte(':') {
		return nil
	}
	id := l.skipValue()
	if !l.skipByte('}') || len(bytes.TrimSpace(l.rest)) > 0 {
		return nil
	}
	return id
}

// endOf returns a copy of at most the last glimpseSize bytes of text.
func endOf(text []byte) []byte { return bytes.Clone(text[max(0, len(text)-glimpseSize):]) }

// readRest reads and drops the rest of a body of which head was read, as far as maxRest, and as long
// as it keeps coming. It returns more of the head if that is short, and the tail, or nil if the end
// was not found.
func readRest(w http.ResponseWriter, r *http.Request, head []byte) (longer, tail []byte) {
	longer, tail = head[:min(len(head), glimpseSize)], endOf(head)
	isEndless := len(longer) == glimpseSize && r.ContentLength > maxRest+int64(len(head))
	if isEndless || r.Header["Expect"] != nil { // a client that asks first sends nothing
		return longer, nil
	}
	control, end, chunk := http.NewResponseController(w), time.Now().Add(restTime), make([]byte, 32<<10)
	for total := 0; total < maxRest && time.Now().Before(end); {
		if control.SetReadDeadline(time.Now().Add(restPause)) != nil && r.Context().Value(http.ServerContextKey) != nil {
			break // nothing would end the wait
		}
		n, err := r.Body.Read(chunk)
		total += n
		if len(longer) < glimpseSize {
			longer = append(longer, chunk[:n]...)
		}
		tail = endOf(append(tail, chunk[:n]...))
		if err == io.EOF {
			return longer, tail
		}
		if err != nil {
			break
		}
	}
	return longer, nil
}

// refuseUnread answers a message that cannot be read, or is over the limit, with e. head and tail
// are as for glimpseAt. A message that is not a request gets no answer, and so no error.
func (x *exchange) refuseUnread(head, tail []byte, e *mcpError) {
	g := glimpseAt(head, tail)
	if g.kind == rpcRequest || g.kind == rpcInvalid || x.rev.modern && x.line == nil {
		x.sendError(g.id, e)
		return
	}
	x.log(x, e.cause)
	x.accept202()
}

// refuseBody answers a request with e, whose body is over the limit, or came when the service was
// busy. A body whose id was read already is left.
func (x *exchange) refuseBody(e *mcpError) {
	ws := x.ws
	head, tail := ws.body, []byte(nil)
	if glimpseAt(head, nil).kind == rpcInvalid {
		head, tail = readRest(ws.writer, x.request, ws.body)
		ws.unread = tail == nil
	}
	ws.leaveBody(x.request)
	x.refuseUnread(head, tail, e)
}
