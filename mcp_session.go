package svc

// This file gives legacy clients over HTTP a session, so that they can be asked questions and can
// cancel calls. In this order: sessions and how they are sealed; the calls of sessions and their
// cancellation; the messages that get no answer; and the questions that wait for one, also over
// standard input and output.
//
// A session is a text that the client returns with each request in the header Mcp-Session-Id (MCP
// 2025-11-25, Transports, Session Management). It contains the data of initialize, sealed, so
// replicas need not store it:
//
//	bytes  what
//	-----  -------------------------------------------------------------------
//	32     the seal, which also covers the digest of the caller
//	10     the revision, such as 2025-11-25
//	1      the capabilities of the client; see sessionCapabilities
//	16     random, so that two sessions of one caller differ
//
// A session that is forged, or sealed for a different caller or with a former key, is ignored. The
// specification allows a 404, but clients do not initialize again after it, and it would protect
// nothing: the same calls work without a session.
//
// A process keeps only the state of its running calls. The answer to a question and a cancellation
// are separate requests, so a proxy in front of several replicas must send all requests of a
// session to the same one.

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The mcpSessions are the session state that a handler keeps while calls run.
type mcpSessions struct {
	key       *CursorKey // MCPOptions.StateKey, or one of this process
	questions questionTable
	patience  time.Duration // how long a question waits for its answer

	mu       sync.Mutex
	running  map[sessionKey][]*sessionCall
	stopping map[*http.Server]chan struct{} // for each server with questions, closed by its Shutdown
}

// answerPatience is how long a call waits for the answer to a question over HTTP, because a client
// that has gone may look like a user who is thinking.
const answerPatience = 2 * time.Minute

// newMCPSessions returns sessions that key seals. nil stands for a key of this process.
func newMCPSessions(key *CursorKey) *mcpSessions {
	return &mcpSessions{key: cmp.Or(key, newProcessKey()), patience: answerPatience, running: make(map[sessionKey][]*sessionCall),
		stopping: make(map[*http.Server]chan struct{})}
}

// newProcessKey returns a key that no other process has.
func newProcessKey() *CursorKey {
	secret := make([]byte, sha256.Size)
	rand.Read(secret) // never fails
	return NewCursorKey(secret)
}

const (
	sessionHeader = "Mcp-Session-Id"
	// sessionLabel makes the seals of sessions differ from the seals of cursors and states.
	sessionLabel = "svc mcp session\x00"
	// maxSession is the longest header that is read, in bytes.
	maxSession    = 256
	sessionNonce  = 16
	sessionLength = len(time.DateOnly) + 1 + sessionNonce // without the seal
)

// sessionCapabilities are the capabilities that a session keeps, in the order of their bits.
// Those of elicitation and sampling are members of one object each.
var sessionCapabilities = [...]string{"elicitation", "elicitation.url", "sampling", "sampling.context", "sampling.tools", "roots"}

// packCapabilities returns the bits of a ClientCapabilities object.
func packCapabilities(capabilities []byte) (bits byte) {
	for i, name := range sessionCapabilities {
		if declares(capabilities, name) {
			bits |= 1 << i
		}
	}
	return bits
}

// unpackCapabilities returns a ClientCapabilities object with these bits.
func unpackCapabilities(bits byte) []byte {
	empty := func(i int) []byte {
		if bits>>i&1 == 0 {
			return nil
		}
		return []byte("{}")
	}
	m := openMembers(nil)
	if bits&0b11 != 0 {
		m.add("elicitation", object("form", empty(0), "url", empty(1)))
	}
	if bits&0b11100 != 0 {
		m.add("sampling", object("context", empty(3), "tools", empty(4)))
	}
	m.add("roots", empty(5))
	return m.close()
}

// seal returns a new session of a caller, in the form of storeID.
func (s *mcpSessions) seal(caller, revision string, capabilities []byte) string {
	payload := append([]byte(revision), packCapabilities(capabilities))
	payload = append(payload, make([]byte, sessionNonce)...)
	rand.Read(payload[len(payload)-sessionNonce:])
	return s.key.seal(sessionLabel+caller, payload)
}

// open returns the content of a session that seal made for the caller, or nil.
func (s *mcpSessions) open(caller, session string) *agreement {
	if len(session) > maxSession {
		return nil
	}
	payload, err := s.key.open(sessionLabel+caller, session)
	if err != nil || len(payload) != sessionLength {
		return nil
	}
	rev := revisionOf(string(payload[:len(time.DateOnly)]))
	if rev == nil || !rev.sessions { // sealed by a program with different revisions
		return nil
	}
	return &agreement{rev: rev, capabilities: unpackCapabilities(payload[len(time.DateOnly)]), session: session}
}

// agreementOf returns the content of the request's session, or the agreement of a client without a
// session.
func (h *mcpHandler) agreementOf(r *http.Request) *agreement {
	if values := r.Header[sessionHeader]; len(values) == 1 {
		if a := h.sessions.open(storeID(r.Context(), ""), values[0]); a != nil {
			return a
		}
	}
	return &h.unagreed
}

// A sessionKey identifies a call for its client. Several calls can have the same key, because
// clients may reuse ids.
type sessionKey struct{ session, id string }

// A sessionCall is a request of a session while it is answered, which its client can cancel.
type sessionCall struct {
	key      sessionKey
	cancel   context.CancelFunc
	canceled bool // by the client; protected by mcpSessions.mu
	aborted  bool // it was canceled in time, so it gets no answer
}

// answerInSession is answerRequest for a request that its client can cancel. At the end it cancels
// the context of goroutines that the method has left behind.
func (x *exchange) answerInSession() {
	m := x.message
	s, c := x.h.sessions, &sessionCall{key: sessionKey{x.agreed.session, idKey(m.id)}}
	x.Context, c.cancel = context.WithCancel(x.Context)
	x.ofCall = c
	s.addCall(c)
	defer s.removeCall(c)
	defer c.cancel()
	x.answerRequest()
}

func (s *mcpSessions) addCall(c *sessionCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[c.key] = append(s.running[c.key], c)
}

func (s *mcpSessions) removeCall(c *sessionCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := slices.DeleteFunc(s.running[c.key], func(other *sessionCall) bool { return other == c })
	if s.running[c.key] = rest; len(rest) == 0 {
		delete(s.running, c.key)
	}
}

// abortCall reports whether the client of x, which has a session, has already canceled the request.
// A later cancellation comes too late to stop the answer.
func (x *exchange) abortCall() bool {
	x.h.sessions.mu.Lock()
	defer x.h.sessions.mu.Unlock()
	x.ofCall.aborted = x.ofCall.canceled
	return x.ofCall.aborted
}

// cancelCalls cancels the calls of a session that the params of notifications/cancelled name. An
// unknown id is ignored: its call may have ended (MCP 2025-11-25, Cancellation).
func (s *mcpSessions) cancelCalls(session string, params []byte) {
	key := sessionKey{session, idKey(memberAt(params, "requestId"))}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.running[key] {
		c.canceled = true
		c.cancel()
	}
}

// receiveNote handles a message over HTTP that needs no answer: a cancellation, or the answer to a
// question. It reports false for an answer without an open question.
func (x *exchange) receiveNote() (known bool) {
	m, s, session := x.message, x.h.sessions, x.agreed.session
	switch {
	case x.line != nil:
	case m.kind == rpcResponse:
		return session != "" && s.questions.deliver(session, m.id, m.params)
	case m.kind == rpcNotification && session != "" && string(m.method) == "notifications/cancelled":
		s.cancelCalls(session, m.params)
	}
	return true
}

// unasked is logged for an answer without a question, since the client is not told: it is answered
// as if it had come in time.
var unasked = Errorf(CodeInvalidArgument, "no question waits here for this answer: it came too late, "+
	"or another replica of the server has asked; a proxy in front of several replicas must choose one by the header Mcp-Session-Id "+
	"(nginx: hash $http_mcp_session_id consistent;)")

// sendAborted answers a call that its client has canceled: nobody waits for the outcome.
func (x *exchange) sendAborted(status int) {
	if x.stream.events != nil {
		x.stream.events.close()
		return
	}
	if status == http.StatusOK {
		setEventHeader(x.w.Header())
	}
	x.w.WriteHeader(status)
}

// abortedStatus returns the status for sendAborted. If the answer would have been JSON, the client
// would take any body with 200 for an answer.
func (x *exchange) abortedStatus() int {
	if x.stream.events != nil || !x.accept.json {
		return http.StatusOK
	}
	return http.StatusAccepted
}

// Each open question holds a call and its connection, so their number is limited.
const (
	maxSessionQuestions   = 64
	maxCallerQuestions    = 256  // of one Principal.Subject
	maxAnonymousQuestions = 2048 // of all callers without a Principal
	maxQuestions          = 4096 // of all callers of a handler
)

// An asker is a caller as questions count it.
type asker struct {
	known   bool // it has a Principal
	subject string
}

// askerOf returns the caller of a call.
func askerOf(ctx context.Context) asker {
	if p, ok := PrincipalFrom(ctx); ok {
		return asker{true, p.Subject}
	}
	return asker{}
}

// name says who the caller is, for messages.
func (a asker) name() string {
	if a.known {
		return "this caller"
	}
	return "callers who are not known"
}

// mostQuestions returns how many questions of the caller may wait.
func (a asker) mostQuestions() int {
	if a.known {
		return maxCallerQuestions
	}
	return maxAnonymousQuestions
}

// A questionTable holds the questions to clients that wait for an answer. The zero value is
// an empty one.
type questionTable struct {
	mu       sync.Mutex
	waiting  map[string]*openQuestion // by idKey of the id
	sessions map[string]int           // how many each session has; never 0
	askers   map[asker]int            // how many each caller has; never 0
}

// An openQuestion is a question that waits for its answer.
type openQuestion struct {
	session string      // of the client that is asked; "" over standard input and output
	asker   asker       // the caller
	answer  chan []byte // gets the result, or nil for an error; buffered
}

// add returns the id of a new question, as JSON, and the question. It reports false if too many are
// open. The ids are random, so that a replica never mistakes the answer to a question of a
// different replica for its own.
func (t *questionTable) add(session string, of asker) (id []byte, q *openQuestion, ok bool) {
	id, q = appendQuoted(nil, "svc-"+rand.Text()), &openQuestion{session, of, make(chan []byte, 1)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= maxQuestions || t.sessions[session] >= maxSessionQuestions || t.askers[of] >= of.mostQuestions() {
		return nil, nil, false
	}
	if t.waiting == nil {
		t.waiting, t.sessions, t.askers = make(map[string]*openQuestion), make(map[string]int), make(map[asker]int)
	}
	t.waiting[idKey(id)] = q
	t.sessions[session]++
	t.askers[of]++
	return id, q, true
}

// deliver gives a result to the question with this id, and ends it. It reports false if the session
// has no such question. Only the first answer is delivered, so the channel never blocks.
func (t *questionTable) deliver(session string, id, result []byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := idKey(id)
	q := t.waiting[key]
	if q == nil || q.session != session {
		return false
	}
	delete(t.waiting, key)
	if t.sessions[session]--; t.sessions[session] == 0 {
		delete(t.sessions, session)
	}
	if t.askers[q.asker]--; t.askers[q.asker] == 0 {
		delete(t.askers, q.asker)
	}
	q.answer <- slices.Clone(result)
	return true
}

// stop returns a channel that is closed when Shutdown of the server that runs the call of ctx
// begins: a server that is shutting down cannot receive the answer to a question, which is a
// separate request. It is nil without a server of net/http, and stays open if the first question of
// a process is asked after that.
func (s *mcpSessions) stop(ctx context.Context) <-chan struct{} {
	server, ok := ctx.Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stopped, known := s.stopping[server]
	if !known {
		stopped = make(chan struct{})
		s.stopping[server] = stopped
		server.RegisterOnShutdown(sync.OnceFunc(func() { close(stopped) })) // Shutdown may be called twice
	}
	return stopped
}

// askClient asks a legacy client, and returns the result or, if the client answered with an error,
// nil. what describes the question. If ctx or the call ends, the server stops, or the client takes
// too long, it withdraws the question and returns an error. The ids of questions may be equal to
// the ids of the client, because each side numbers its own requests (MCP 2025-11-25, Base
// Protocol).
func (x *exchange) askClient(ctx context.Context, q *question, what string) ([]byte, error) {
	if err := cmp.Or(ctx.Err(), x.Err()); err != nil {
		return nil, err
	}
	table, session := &x.h.sessions.questions, x.agreed.session
	var ended, stop <-chan struct{} // the end of in, and of the server
	var late <-chan time.Time       // never over standard input and output, whose end says that the client is gone
	if x.line != nil {
		table, session, ended = &x.line.pipe.questions, "", x.line.pipe.ended
	} else {
		timer := time.NewTimer(x.h.sessions.patience)
		defer timer.Stop()
		late, stop = timer.C, x.h.sessions.stop(x)
	}
	id, open, ok := table.add(session, askerOf(x))
	if !ok {
		return nil, tooManyQuestions(askerOf(x), what)
	}
	x.sendToClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s`, id, encodeDocument(q)[len("{"):]), false)
	err := error(nil)
	select {
	case result := <-open.answer:
		return result, nil
	case <-ended:
		table.deliver(session, id, nil)
		return <-open.answer, nil // nil, or an answer that came before the end
	case <-late:
		err = unanswered(reasonNotConfirmed, lateAnswer, what)
	case <-stop:
		err = questionError(CodeUnavailable, "", "the server stops before there is an answer; call again", what)
	case <-ctx.Done():
	case <-x.Done():
	}
	table.deliver(session, id, nil) // a late one is dropped
	x.sendToClient([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+string(id)+`}}`), true)
	return nil, cmp.Or(err, ctx.Err(), x.Err())
}

// lateAnswer names the cause that is not the user's fault: the answer went to a different replica.
const lateAnswer = "the client did not answer in time" + whenReady +
	" (if several replicas serve, their proxy must choose one by the header Mcp-Session-Id)"

func tooManyQuestions(of asker, what string) error {
	why := fmt.Sprintf("%d questions of this session, %d of %s, or %d of all wait for an answer, and no more may wait; call again later",
		maxSessionQuestions, of.mostQuestions(), of.name(), maxQuestions)
	return questionError(CodeResourceExhausted, "", why, what)
}

// sendToClient sends a message of the server to a legacy client during a call. Over standard output
// it sends nothing for a line that the client has canceled, unless always is set.
func (x *exchange) sendToClient(body []byte, always bool) {
	switch {
	case x.line == nil:
		x.stream.sendMessage(body)
	case always:
		(&pipeLine{pipe: x.line.pipe}).writeMessage(body)
	default:
		x.line.writeMessage(body)
	}
}
