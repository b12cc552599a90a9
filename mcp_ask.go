package svc

// This file lets a method ask its caller during a call, by the multi round-trip requests of MCP
// 2026-07-28. The method returns the question as its error, the client calls again with the answer,
// and the method runs again from its start and finds the answer. Nothing waits in between, so any
// replica can serve the second call. Clients of earlier revisions get a request while the method
// waits, over standard input and output or in a session; see mcp_session.go. In this order: the
// functions that ask; questions; forms, the types of answers; the answers of a request; and the
// sealed state, with which the client returns answers of earlier rounds.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Ask asks the user of the client to fill in a form, and returns the form. ctx is the context of
// the method or derived from it. key names the question within the call, and message is the
// question. T is a struct, and its fields are the fields of the form, with tags as in an input:
// strings, numbers, booleans, enums, and lists of strings with an enum.
//
//	sure, err := svc.Ask[Confirm](ctx, "confirm", "Delete 12 files?")
//	if err != nil {
//		return nil, err
//	}
//
// Return the error, wrapped or not, and ask before you change anything: the first time, the error
// makes the client ask its user and call again. The method then runs again from its start, and Ask
// returns the answer. doc/questions.md has more about forms and rounds.
//
// If the form breaks a rule of T, Ask returns INVALID_ARGUMENT with violations that name the
// question. It returns FAILED_PRECONDITION if the user declines or the caller cannot be asked; see
// [CanAsk]. It returns INTERNAL if T cannot be a form, or key is empty.
//
// Treat an answer as input, not as a permission: a client can send answers without questions,
// and the same ones again for 10 minutes.
func Ask[T any](ctx context.Context, key, message string) (*T, error) {
	answer, err := askForm(ctx, key, message, reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return answer.(*T), nil
}

// Confirm asks the user of the client to say yes before a method does something that cannot be
// undone. ctx, key and the error are as with [Ask]:
//
//	if err := svc.Confirm(ctx, "delete", "Delete 12 files?"); err != nil {
//		return nil, err
//	}
//
// It returns nil if the answer is yes. It also returns nil in calls over REST, over JSON-RPC and by
// [Service.Call], where the caller has already decided. Otherwise it returns FAILED_PRECONDITION,
// or INVALID_ARGUMENT if the form breaks the rules.
func Confirm(ctx context.Context, key, message string) error {
	if ctx.Value(exchangeKey{}) == nil {
		if c, ok := ctx.Value(callKey{}).(*call); ok && !c.ended.Load() && ctx.Err() == nil {
			return nil
		}
		return unanswered(reasonNotConfirmed, "the call has ended; ask while the method runs", message)
	}
	answer, err := Ask[confirmation](ctx, key, message)
	if err == nil && !answer.Yes {
		err = unanswered(reasonNotConfirmed, "the user has not said yes"+onlyIfWanted, message)
	}
	return err
}

// A confirmation is the form of [Confirm]. Its field has no default, so that an empty form, which
// the user may never have seen, does not count as a yes.
type confirmation struct {
	Yes bool `json:"yes"`
}

// AskURL asks the user of the client to open a page, such as a login or a payment. nil means that
// the user has opened the page, not that they have finished there. The client needs the capability
// "elicitation.url" (MCP 2025-11-25, Elicitation). The rest is as with [Ask].
func AskURL(ctx context.Context, key, message, url string) error {
	name, answer, err := sendQuestion(ctx, key, "elicitation/create", map[string]string{"mode": "url", "message": message, "url": url})
	if err == nil {
		err = checkAction(name, message, answer)
	}
	return err
}

// AskClient sends the client an MCP request, such as "sampling/createMessage" or "roots/list", and
// returns the result as the client sent it, always an object. params is any value that
// encoding/json writes as an object; nil omits it. The client needs the capability that the method
// names before the slash. For elicitation/create it also needs the mode in params.mode. AskClient
// returns INTERNAL for other params and for a method without a slash. The rest is as with [Ask].
//
// The specification deprecates the requests sampling/createMessage and roots/list (SEP-2577): new
// clients may not answer them. A server that needs a model can call one itself.
func AskClient(ctx context.Context, key, method string, params any) (json.RawMessage, error) {
	_, answer, err := sendQuestion(ctx, key, method, params)
	return answer, err
}

// sendQuestion is AskClient. name is the key that the client knows, which differs for a task.
func sendQuestion(ctx context.Context, key, method string, params any) (name string, answer []byte, err error) {
	capability, _, ok := strings.Cut(method, "/")
	if key == "" || !ok {
		return "", nil, fmt.Errorf("a question needs a key and a method such as roots/list, not %q and %q", key, method)
	}
	q, what := &question{key: key, Method: method}, method
	if params != nil {
		if q.Params, err = json.Marshal(params); err == nil && !isJSONObject(q.Params) {
			err = errors.New("must be a JSON object")
		}
		if err != nil {
			return "", nil, fmt.Errorf("the params of %s: %w", method, err)
		}
	}
	if capability == "elicitation" {
		what = cmp.Or(textAt(q.Params, "message"), method)
		if textAt(q.Params, "mode") == "url" {
			capability, q.page = "elicitation.url", textAt(q.Params, "url")
		}
	}
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok && x.task != nil {
		q.key = taskKey(q)
	}
	answer, err = q.ask(ctx, capability, what)
	return q.key, answer, err
}

// CanAsk reports whether the caller has a capability of MCP: "elicitation" for [Ask],
// "elicitation.url" for [AskURL], "sampling" or "roots" for [AskClient]. ctx is as with Ask.
// doc/questions.md lists when a caller cannot be asked. It is false once the method has
// returned.
func CanAsk(ctx context.Context, capability string) bool {
	x, _ := askedExchange(ctx, capability, "")
	return x != nil
}

// ask returns the answer to q, or else q as an error. It asks a legacy client at once. what
// describes the question.
func (q *question) ask(ctx context.Context, capability, what string) ([]byte, error) {
	x, answer := askedExchange(ctx, capability, q.key)
	switch {
	case x == nil:
		return nil, cannotAsk(ctx, what, q.page)
	case answer != nil && !isJSONObject(answer): // of a task
		return nil, answerError(q.key, errNotObject.about(answer).inBody(""))
	case answer != nil:
		return answer, nil
	case x.rev.rounds:
		return nil, q
	}
	text, err := x.askClient(ctx, &question{Method: q.Method, Params: q.paramsIn(x.rev), page: q.page}, what)
	if e := x.slot.resume(ctx); err == nil {
		err = e
	}
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return nil, unanswered(reasonNotConfirmed, "the client did not answer"+whenReady, what)
	case !isJSONObject(text):
		return nil, answerError(q.key, errNotObject.about(text).inBody(""))
	}
	x.stream.mu.Lock()
	defer x.stream.mu.Unlock()
	x.keepAnswer(q.key, text) // for the same question, asked again
	return bytes.Clone(text), nil
}

// paramsIn returns the params of q for a revision in which the server asks by a request: there is
// a mode only where there are pages, and then an id for each URL.
func (q *question) paramsIn(rev *revision) []byte {
	if q.Method != "elicitation/create" || q.Params == nil {
		return q.Params
	}
	m := openMembers(nil)
	for name, value := range eachMember(q.Params) {
		if string(name) != "mode" || rev.pages {
			m.addRaw(string(name), value)
		}
	}
	if textAt(q.Params, "mode") == "url" && memberAt(q.Params, "elicitationId") == nil {
		m.addText("elicitationId", rand.Text())
	}
	return m.close()
}

// askedExchange returns the exchange of the running method if its client has the
// capability, and a copy of its answer to the question key if there is one. It returns
// nil after the method has returned.
func askedExchange(ctx context.Context, capability, key string) (*exchange, []byte) {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, nil
	}
	x.stream.mu.Lock()
	defer x.stream.mu.Unlock()
	if !x.stream.running || !x.reachesClient(capability) || !declares(x.capabilities, capability) || holdsKey(ctx) {
		return nil, nil
	}
	if answer := x.answers[key]; answer != nil {
		answer.used = true
		return x, bytes.Clone(answer.text)
	}
	return x, nil
}

// reachesClient reports whether the revision and the transport can ask for a capability: modern
// messages ask in their answer, and legacy ones by a request, which over HTTP is an event of a call
// in a session.
func (x *exchange) reachesClient(capability string) bool {
	overHTTP := x.line == nil
	switch {
	case x.rev.rounds:
		return true
	case overHTTP && (x.agreed.session == "" || x.stream.quiet == nil):
		return false
	case capability == "elicitation.url":
		return x.rev.pages
	}
	return capability != "elicitation" || x.rev.forms
}

// cannotAsk returns the error for a question that cannot be asked in ctx. If it is to open a page, the
// text ends in its address, so that the user can open it without the client.
func cannotAsk(ctx context.Context, question, page string) error {
	why := "this client cannot be asked; let the user do it elsewhere, or in a client that can ask"
	if page != "" {
		why, question = "this client cannot be asked to open a page; give the user the address at the end", question+" "+page
	}
	if holdsKey(ctx) {
		why = "a call with an idempotency key cannot wait for an answer in this revision of MCP; " +
			"call without a key, or let the user do it elsewhere"
	}
	return unanswered(reasonCannotAsk, why, question)
}

// Instructions for a model after a question that was not answered with yes.
const (
	onlyIfWanted = "; call again only if the user wants it"
	whenReady    = "; call again when the user can answer"
)

// holdsKey reports whether an idempotency key prevents a question to the caller of ctx: its method
// would wait for the answer in the transaction of Idempotency.Run. Modern callers are asked after
// the method has returned. The key may belong to a call around the [Service.Call] of ctx.
func holdsKey(ctx context.Context) bool {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); !ok || x.rev.rounds {
		return false
	}
	for {
		c, ok := ctx.Value(callKey{}).(*call)
		if !ok || c.keyed != nil {
			return ok
		}
		ctx = c.Context
	}
}

// unanswered returns the error for a question that was not answered with yes. why also says what
// to do now.
func unanswered(reason, why, question string) error {
	return questionError(CodeFailedPrecondition, reason, why, question)
}

// questionError returns an error for a question. The text of the question comes last: a model first
// reads that nothing was done, and does not try to answer the question. It is an error of svc
// itself, so methods need not declare it.
func questionError(code Code, reason, why, question string) error {
	return &Error{Code: code, Message: "not done, since " + why + ". The question: " + question,
		sentParts: sentParts{reason: reason, ours: true}, base: errUnanswered}
}

// A question is the error of a method that needs an answer. Clients never see it as an
// error, but as the JSON of a request.
type question struct {
	key    string
	Method string          `json:"method"` // of MCP, such as elicitation/create
	Params json.RawMessage `json:"params,omitempty"`
	page   string          // the address that the user is to open; or ""
}

// Error is for methods that log the error.
func (q *question) Error() string { return "the caller must answer the question " + q.key }

// appendQuestions returns list with the questions in err, wrapped and joined ones too.
func appendQuestions(err error, list []*question) []*question {
	switch e := err.(type) {
	case *question:
		return append(list, e)
	case interface{ Unwrap() error }:
		return appendQuestions(e.Unwrap(), list)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			list = appendQuestions(err, list)
		}
	}
	return list
}

// answerQuestions writes the result that asks the questions in err, in the order of their keys. It
// returns err without questions, and a different error if they cannot be asked. The state has only
// the answers that the method has asked for, because a client can send any number of answers.
func (x *exchange) answerQuestions(err error) error {
	list := appendQuestions(err, nil)
	if len(list) == 0 {
		return err
	}
	used := make(map[string]json.RawMessage)
	for key, answer := range x.answers {
		if answer.used {
			used[key] = answer.text
		}
	}
	if x.h.options.StateKey == nil && len(used) > 0 {
		return errors.New("a method that asks again after an answer needs MCPOptions.StateKey")
	}
	x.ws.enc.buf = beginRPCResult(x.ws.enc.buf[:0])
	x.addJSON(`{"resultType":"input_required","_meta":{` + x.h.texts.serverInfo + `},"inputRequests":` + string(encodeQuestions(list)))
	if x.h.options.StateKey != nil {
		x.addJSON(`,"requestState":"` + x.h.sealState(x.callDigest(), encodeDocument(used)) + `"`)
	}
	return nil
}

// encodeQuestions returns questions as an object, in the order of their keys.
func encodeQuestions(list []*question) []byte {
	questions := make(map[string]*question)
	for _, q := range slices.Backward(list) { // of two with the same key, the first is asked
		questions[q.key] = q
	}
	return encodeDocument(questions)
}

// A form is the compiled type of a form of [Ask].
type form struct {
	schema []byte // the requestedSchema, as JSON
	june   []byte // the form in 2025-06-18; nil if that revision cannot express it, because it lacks lists
	bind   *binding
}

// askForm is Ask for a reflect.Type.
func askForm(ctx context.Context, key, message string, t reflect.Type) (any, error) {
	x, _ := askedExchange(ctx, "elicitation", "")
	if x == nil {
		return nil, cannotAsk(ctx, message, "")
	}
	f, err := x.h.formOf(t)
	if err != nil {
		return nil, err
	}
	schema := f.schema
	if !x.rev.formLists {
		schema = f.june
	}
	if schema == nil {
		return nil, cannotAsk(ctx, message, "")
	}
	params := object("mode", "form", "message", appendQuoted(nil, message), "requestedSchema", schema)
	name, answer, err := sendQuestion(ctx, key, "elicitation/create", json.RawMessage(params))
	if err != nil {
		return nil, err
	}
	return x.h.readForm(f, name, message, answer)
}

// formOf returns the form of a type. A handler compiles it once.
func (h *mcpHandler) formOf(t reflect.Type) (*form, error) {
	if f, ok := h.forms.Load(t); ok {
		return f.(*form), nil
	}
	f, err := compileForm(t, &h.service.opts)
	if err == nil {
		h.forms.Store(t, f)
	}
	return f, err
}

// compileForm compiles the form of a type. Clients show a flat list of fields (MCP
// 2026-07-28, Elicitation), so only scalars and lists of choices are allowed.
func compileForm(t reflect.Type, opts *Options) (*form, error) {
	p := new(mistakes)
	p.addIf(t.Kind() != reflect.Struct, "a form must be a struct, not a %v", t)
	c := newShapes(p)
	c.comments, c.schemas = opts.Comments, opts.Schemas
	s := c.shapeFor(t, t.String())
	c.checkUse(s, asInput, t.String())
	c.finishShapes()
	p.addIf(s.alternatives != nil, "a form has one list of fields, and %v is a union", t)
	for _, f := range s.fields {
		switch {
		case f.shape.kind == kindPointer && !f.optional:
			p.addf("%s: a pointer in a form must be optional (omitempty)", f.place)
		case f.shape.kind == kindOptional:
			p.addf("%s: a form has no null; write a *%v that is optional (omitempty)", f.place, f.shape.elem.typ)
		case !f.shape.deref().kind.isScalar() && !f.shape.isChoice():
			p.addf("%s: a form has strings, numbers, booleans, enums and lists of strings with an enum, not a %v", f.place, f.shape.typ)
		}
	}
	f := new(form)
	if len(p.list) == 0 { // a decoder could not read a form with mistakes
		f.bind = compileBinding(newDecoders(p, false), s, route{})
	}
	if len(p.list) > 0 {
		return nil, p.err("cannot ask for " + t.String())
	}
	flat := s.onWire()
	f.schema = schemaWriter{use: forForm}.appendSchema(nil, flat, nil)
	if !slices.ContainsFunc(flat.fields, func(f *field) bool { return f.shape.deref().kind == kindSlice }) {
		f.june = schemaWriter{use: forJuneForm}.appendSchema(nil, flat, nil)
	}
	return f, nil
}

// isChoice reports whether s is a list of strings with an enum, from which the user
// chooses several (MCP 2026-07-28, schema, UntitledMultiSelectEnumSchema).
func (s *shape) isChoice() bool {
	if s.kind != kindSlice {
		return false
	}
	enum := s.elem.rules.lookup(roleValues) // all values of a scalar's enum have the same type
	return enum != nil && isText(enum.value[len("["):])
}

// readForm decodes the form in an answer. Clients send null for fields that the user left empty. If
// the user declined or canceled, it returns FAILED_PRECONDITION.
func (h *mcpHandler) readForm(f *form, key, message string, answer []byte) (any, error) {
	if err := checkAction(key, message, answer); err != nil {
		return nil, err
	}
	content := memberAt(answer, "content")
	if content != nil && !isJSONObject(content) {
		return nil, answerError(key, errNotObject.about(content).inBody("/content"))
	}
	m := openMembers(nil)
	for name, value := range eachMember(content) {
		if !isJSONNull(value) {
			m.addRaw(string(name), value)
		}
	}
	ws := h.service.borrowWorkspace(false)
	in, err := f.bind.bindObject(&ws.dec, m.close()) // a panic of Validate is one of the method
	h.service.returnWorkspace(ws)
	if list := ErrorFrom(err).Violations(); len(list) > 0 { // otherwise a Validate method returned a different error
		err = answerError(key, list...)
	}
	return in, err
}

// checkAction returns an error unless the user has accepted the question.
func checkAction(key, message string, answer []byte) error {
	switch textAt(answer, "action") {
	case "accept":
		return nil
	case "decline":
		return unanswered(reasonNotConfirmed, "the user said no"+onlyIfWanted, message)
	case "cancel":
		return unanswered(reasonNotConfirmed, "the user did not answer"+whenReady, message)
	}
	return answerError(key, Violation{In: inBody, Path: "/action", Rule: "enum", Message: "must be accept, decline or cancel"})
}

// answerError returns the error for an answer that breaks rules. The paths of its
// violations begin with the key of the question.
func answerError(key string, list ...Violation) error {
	var vs violations
	for _, v := range list {
		v.Path = pointerToken(key) + v.Path
		vs.addViolation(v)
	}
	return vs.err()
}

// keepAnswer keeps the answer to the question key.
func (x *exchange) keepAnswer(key string, text []byte) {
	if x.answers == nil {
		x.answers = make(map[string]*answer)
	}
	x.answers[key] = &answer{text: text}
}

// readAnswers reads the answers in m. It runs before the method, because a call with the state of a
// different call must not run. Legacy requests have no answers; it ignores members with these
// names.
func (x *exchange) readAnswers() *mcpError {
	m := x.message
	switch {
	case x.task != nil: // answerTask has read them
		return nil
	case !x.rev.rounds:
		x.capabilities = x.agreed.capabilities
		return nil
	}
	x.capabilities = m.meta.capabilities
	if m.state != nil {
		if x.h.options.StateKey == nil || !isText(m.state) { // without a key every state is invalid, so nothing is computed
			return badState
		}
		digest, object := x.h.openState(string(textOf(m.state)))
		if object == nil || digest != x.callDigest() { // compute the digest last, because it costs as much as the call
			return badState
		}
		for key, text := range eachMember(object) {
			x.keepAnswer(string(key), text)
		}
	}
	ok := m.responses == nil || isJSONObject(m.responses)
	for key, text := range eachMember(m.responses) {
		ok = ok && isJSONObject(text)
		x.keepAnswer(string(key), text)
	}
	if !ok {
		return protocolError(rpcInvalidParams, "params.inputResponses must be an object of objects")
	}
	return nil
}

var badState = protocolError(rpcInvalidParams, "params.requestState is not for this call, or is too old; call again without it")

// stateLife is how long answers can be sent again.
const stateLife = 10 * time.Minute

// stateLabel makes the seals of states differ from the seals of cursors with the same key.
const stateLabel = "svc mcp state\x00"

// callDigest returns a digest of the call that a state is valid for: the method, the tool, prompt
// or resource, the arguments and the caller. It is the same for equal arguments, because a client
// may write their members in a different order the next time; keys_print.go defines which are
// equal.
func (x *exchange) callDigest() string {
	m := x.message
	w := sentWriter{scan: scanner{data: m.arguments, wanted: []string{}}} // names were compared before
	if len(m.arguments) > 0 {
		w.addValue(nil)
	}
	return hashText(encodeDocument([]string{
		string(m.method),
		textAt(m.params, "name"),
		textAt(m.params, "uri"),
		hashText(w.print),
		storeID(x, ""), // differs for each caller
	}))
}

// sealState returns a requestState that holds an object: when it expires, in 8 bytes of Unix time,
// the digest of the call that it is for, and the object as JSON. Clients can read it, but cannot
// change or make one.
func (h *mcpHandler) sealState(digest string, object []byte) string {
	payload := binary.BigEndian.AppendUint64(nil, uint64(h.now().Add(stateLife).Unix()))
	return h.options.StateKey.seal(stateLabel, append(append(payload, digest...), object...))
}

// openState returns the digest and the object in a requestState, or nil if the state is not from
// sealState or has expired.
func (h *mcpHandler) openState(state string) (digest string, object []byte) {
	payload, err := h.options.StateKey.open(stateLabel, state)
	if err != nil || h.now().Unix() > int64(binary.BigEndian.Uint64(payload)) {
		return "", nil
	}
	payload = payload[8:] // payload is long enough, because only sealState seals with this key
	return string(payload[:digestSize]), payload[digestSize:]
}

// digestSize is the length of a text that hashText returns.
const digestSize = 43

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
		session = ""
		table, ended = x.line.asked()
	} else {
		timer := time.NewTimer(x.h.sessions.patience)
		defer timer.Stop()
		late, stop = timer.C, x.h.sessions.stop(x)
	}
	id, open, ok := table.add(session, askerOf(x))
	if !ok {
		return nil, tooManyQuestions(askerOf(x), what)
	}
	x.slot.pause() // waiting is not load; ask takes the slot again
	x.sendToClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s`, id, encodeDocument(q)[len("{"):]), false)
	waiting, stopWaiting := x.stream.beginWaiting()
	defer stopWaiting()
	err := error(nil)
	for {
		select {
		case answer := <-open.answer:
			if answer.unable {
				return nil, cannotAsk(ctx, what, q.page)
			}
			return answer.result, nil
		case <-ended:
			table.deliver(session, id, clientAnswer{})
			return (<-open.answer).result, nil // nil, or an answer that came before the end
		case <-waiting:
			x.stream.sendWaiting()
			continue
		case <-late:
			err = unanswered(reasonNotConfirmed, lateAnswer, what)
		case <-stop:
			err = questionError(CodeUnavailable, "", "the server stops before there is an answer; call again", what)
		case <-ctx.Done():
		case <-x.Done():
		}
		break
	}
	table.deliver(session, id, clientAnswer{}) // a late one is dropped
	x.sendToClient([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+string(id)+`}}`), true)
	return nil, cmp.Or(err, ctx.Err(), x.Err())
}

// lateAnswer names the cause that is not the user's fault: the answer went to a different replica.
const lateAnswer = "the client did not answer in time" + whenReady +
	" (if several replicas serve, their proxy must choose one by the header Mcp-Session-Id)"

func tooManyQuestions(of asker, what string) error {
	why := fmt.Sprintf("%d questions of this session, %d of %s, or %d of all wait for an answer, and no more may wait; call again later",
		maxSessionQuestions, newQuestionShares().mostOf(of), of.name(), maxQuestions)
	return questionError(CodeResourceExhausted, "", why, what)
}

// sendToClient sends a message of the server to a legacy client during a call. Over standard output
// it sends nothing for a line that the client has canceled, unless always is set.
func (x *exchange) sendToClient(body []byte, always bool) {
	if x.line == nil {
		x.stream.sendMessage(body)
	} else {
		x.line.writeMessage(body, always)
	}
}

// taskKey returns the key of a question of a task. Clients assume that a known key is the same
// question, so it includes a digest of the question (Tasks, Task Update Requests).
func taskKey(q *question) string {
	return q.key + "-" + hashText(append([]byte(q.Method+"\x00"), q.Params...))[:12]
}
