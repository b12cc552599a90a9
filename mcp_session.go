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
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"slices"
	"strings"
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

// Each open question holds a call and its connection, so their number is limited.
const (
	maxSessionQuestions   = 64
	maxCallerQuestions    = 256  // of one Principal.Subject
	maxAnonymousQuestions = 2048 // of all callers without a Principal
	maxQuestions          = 4096 // of all callers of a handler
)

// newQuestionShares returns the shares of the questions that wait.
func newQuestionShares() *shares {
	return &shares{most: maxQuestions, each: maxCallerQuestions, unknown: maxAnonymousQuestions}
}

// A questionTable holds the questions to clients that wait for an answer. The zero value is
// an empty one.
type questionTable struct {
	mu       sync.Mutex
	waiting  map[string]*openQuestion // by idKey of the id
	sessions map[string]int           // how many each session has; never 0
	shares   *shares                  // of each caller
}

// An openQuestion is a question that waits for its answer.
type openQuestion struct {
	session string            // of the client that is asked; "" over standard input and output
	share   *share            // of the caller
	answer  chan clientAnswer // buffered
}

// A clientAnswer is the answer to a question. The zero value is that of a client which failed, or has gone.
type clientAnswer struct {
	result []byte // JSON; nil if there is none
	unable bool   // the client does not know the request after all
}

// answerIn returns the answer in a response. Some clients declare a capability, and refuse each request
// for it, as an unknown method or with params that they do not take.
func answerIn(m *rpcMessage) clientAnswer {
	code := string(memberAt(m.failure, "code"))
	return clientAnswer{slices.Clone(m.params), m.params == nil && (code == "-32601" || code == "-32602")}
}

// add returns the id of a new question, as JSON, and the question. It reports false if too many are
// open. The ids are random, so that a replica never mistakes the answer to a question of a
// different replica for its own.
func (t *questionTable) add(session string, of asker) (id []byte, q *openQuestion, ok bool) {
	id = appendQuoted(nil, "svc-"+rand.Text())
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting, t.sessions, t.shares = make(map[string]*openQuestion), make(map[string]int), newQuestionShares()
	}
	if t.sessions[session] >= maxSessionQuestions {
		return nil, nil, false
	}
	share, err := t.shares.take(of)
	if err != nil {
		return nil, nil, false
	}
	q = &openQuestion{session, share, make(chan clientAnswer, 1)}
	t.waiting[idKey(id)] = q
	t.sessions[session]++
	return id, q, true
}

// deliver gives an answer to the question with this id, and ends it. It reports false if the session
// has no such question. Only the first answer is delivered, so the channel never blocks.
func (t *questionTable) deliver(session string, id []byte, a clientAnswer) bool {
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
	q.share.giveBack()
	q.answer <- a
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

// An agreement holds the data of a legacy client's initialize on a pipe, or in a session. It never
// changes.
type agreement struct {
	rev          *revision  // nil before initialize
	capabilities []byte     // from initialize, as JSON; or nil
	logLevel     slog.Level // of logging/setLevel, on a pipe
	session      string     // over HTTP, as the client sends it; "" without one
}

// declares reports whether a ClientCapabilities object has a capability. For elicitation it must be
// able to show forms: the object has the member form or is empty; a client may support only URLs
// (MCP 2025-11-25, Elicitation, Capabilities).
func declares(capabilities []byte, capability string) bool {
	value := memberAt(capabilities, strings.Split(capability, ".")...)
	return isJSONObject(value) && (capability != "elicitation" || memberAt(value, "form") != nil || bytes.IndexByte(value, '"') < 0)
}

// idKey returns the map key of an id, which is the same for every spelling of a string. 1 and "1"
// are different ids. The map key of nil is empty, which no id has:
//
//	id        map key
//	1         1
//	"1"       "1
//	"\u0031"  "1
func idKey(id []byte) string {
	if isText(id) {
		return `"` + string(textOf(id))
	}
	return string(id)
}
